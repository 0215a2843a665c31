use least_action_declared::rust::*;
use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

#[derive(Default)]
struct Family(RefCell<Vec<([usize; 2], f64)>>);
struct Around;
impl Vocabulary for Around {
    fn function(&self, path: &[&str]) -> Option<u32> {
        match path {
            [.., "coefficient"] => Some(0),
            [.., "Family", "new"] => Some(1),
            [.., "Family", "in_rows"] => Some(1),
            [.., "Operands"] => Some(2),
            _ => None,
        }
    }
    fn constant(&self, path: &[&str]) -> Option<u32> {
        match path {
            [name] if name.chars().all(|c| c.is_uppercase() || c == '_' || c.is_numeric()) => Some(0),
            [_, "None"] => None,
            _ => None,
        }
    }
    fn method(&self, name: &str) -> Option<u32> {
        [
            "items",
            "entry",
            "push",
            "potential",
            "row",
            "room",
            "give",
            "begin_constraint",
            "end_constraint",
            "constraint",
        ]
        .iter()
        .position(|n| *n == name)
        .map(|k| k as u32)
    }
}
impl Surroundings<f64> for Around {
    fn constant(&self, _: u32) -> Result<Value<f64>, Error> {
        Ok(Value::Host(Rc::new(())))
    }
    fn call(&self, f: u32, a: &mut [Value<f64>], _: &mut dyn Caller<f64>) -> Result<Value<f64>, Error> {
        match f {
            0 => Ok(std::mem::take(&mut a[0])),
            1 => Ok(Value::Host(Rc::new(Family::default()))),
            _ => Ok(Value::Host(Rc::new(()))),
        }
    }
    fn method(
        &self,
        own: &Rc<dyn Any>,
        m: u32,
        a: &mut [Value<f64>],
        _: &mut dyn Caller<f64>,
    ) -> Result<Value<f64>, Error> {
        match m {
            0 => Ok(std::mem::take(&mut a[0])),
            1 => {
                let k = a[1].as_list().unwrap()[0].as_count().unwrap();
                Ok(Value::count(2 * k))
            }
            2 => {
                let f = own.downcast_ref::<Family>().unwrap();
                let s = a[0].as_list().unwrap();
                let c = a[1].as_list().unwrap()[0].as_number().unwrap();
                f.0.borrow_mut().push(([s[0].as_count().unwrap(), 0], *c));
                Ok(Value::Unit)
            }
            4 => Ok(Value::count(1)),
            _ => Ok(Value::Unit),
        }
    }
    fn field(&self, _: &Rc<dyn Any>, _: &str) -> Option<Value<f64>> {
        Some(Value::text("x"))
    }
}

#[test]
fn speed() {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../models/src/chain.rs")).unwrap();
    let source = Source::parse("chain.rs", &text).unwrap();
    let mut program = Program::resolve(&source, &Around).unwrap();
    let block: syn::Block = syn::parse_str(
        r#"{
            let mut family = ::least_action::emitted::v1::Family::new(&POTENTIAL_0, binder.room());
            for i_2 in binder.items(0..self.links, POTENTIAL_0.name)? {
                let entry_1 = binder.entry(0, &[i_2], POTENTIAL_0.name)?;
                let coefficient_1 = ::least_action::emitted::v1::coefficient(self.mass * self.gravity);
                family.push(&[entry_1], &[coefficient_1])?;
            }
            binder.potential(family);
            ::core::result::Result::Ok(())
    }"#,
    )
    .unwrap();
    let f = program.add(&source, ("potential_0", &["self", "binder"]), &block, &Around).unwrap();
    let rods: syn::Block = syn::parse_str(r#"{
            let mut family_0 = ::least_action::emitted::v1::Family::in_rows(&RODS_0_0, binder.room());
            let mut family_1 = ::least_action::emitted::v1::Family::in_rows(&RODS_0_1, binder.room());
            binder.begin_constraint("rods");
            for i_3 in binder.items(0..self.links, "rods")? {
                let row = binder.row();
                {
                    if i_3 == 0 {
                        let entry_3 = binder.entry(0, &[i_3], RODS_0_0.name)?;
                        let coefficient_2 = ::least_action::emitted::v1::coefficient(self.rod.powi(2));
                        family_0.push(&[entry_3, row], &[coefficient_2])?;
                    }
                }
                {
                    if i_3 == 0 {} else {
                        let entry_2 = binder.entry(0, &[(match (i_3, 1) {
                                        (left, right) => {
                                            ::least_action::emitted::v1::Operands(&left, &right).give('-', "i - 1", RODS_0_1.name)?;
                                            left - right
                                        }
                                    })], RODS_0_1.name)?;
                        let entry_3 = binder.entry(0, &[i_3], RODS_0_1.name)?;
                        let coefficient_2 = ::least_action::emitted::v1::coefficient(self.rod.powi(2));
                        family_1.push(&[entry_2, entry_3, row], &[coefficient_2])?;
                    }
                }
            }
            binder.end_constraint();
            binder.constraint(family_0);
            binder.constraint(family_1);
            ::core::result::Result::Ok(())
    }"#).unwrap();
    let g = program.add(&source, ("rods", &["self", "binder"]), &rods, &Around).unwrap();
    let model = Model::of(program).unwrap();
    let own = model.read(&serde_json::json!({"links": 100_000})).unwrap();
    let mut machine = Machine::new(model.program(), &Around, Budget::default());
    for (name, f) in [("potential", f), ("rods", g)] {
        let t = std::time::Instant::now();
        machine.function(f, &mut [own.clone(), Value::Host(Rc::new(()))]).unwrap();
        println!("{name} {:?}", t.elapsed());
    }
    let source = Source::parse("loop.rs", "struct M { n: usize } impl M { fn run(&self) -> f64 { let mut s = 0.0; let mut i = 0; while i < self.n { s += 0.5 * (i as f64) * 1.5 - 1.0; i += 1; } s } fn sums(&self) -> f64 { (0..self.n).map(|i| 0.5 * (i as f64) * 1.5 - 1.0).sum() } fn fill(&self) -> Vec<f64> { let mut v = Vec::new(); for i in 0..self.n { v.push(i as f64); } v } } #[lagrangian] impl M { fn lagrangian(&self) -> Scalar { 0.0 } }").unwrap();
    let model = Model::new(&source, &Alone).unwrap();
    let own = model.read(&serde_json::json!({"n": 1_000_000})).unwrap();
    for name in ["run", "sums", "fill"] {
        let t = std::time::Instant::now();
        model.call(name, &own).unwrap();
        println!("{name} 1e6: {:?}", t.elapsed());
    }
}
