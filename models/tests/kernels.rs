#![allow(missing_docs)]
use integrator_core::expr::oracle;
use integrator_core::prelude::*;
use models::*;

#[test]
fn smoke() {
    let chain = Chain::default();
    let s = chain.bind().unwrap();
    let st = chain.start();
    println!("{:?}", s.families());
    println!("{}", s.energy(&st.q, &st.v, 0.0));
    let mut g = vec![0.0; 10];
    s.constraint_values(&st.q, 0.0, &mut g);
    println!("{g:?}");
    let d = DoublePendulumAngles::default();
    let s = d.bind().unwrap();
    println!("{:?}", s.families());
    println!("{}", s.energy(&[0.1, 0.2], &[0.3, 0.4], 0.0));
    println!("{:?}", DoublePendulumAngles::STRUCTURE);
}
