//! A model of a text, bound to parameters: as methods see it, and as pictures do.

use std::sync::Arc;

use least_action_core::binding::Dynamic;
use least_action_core::expr::Place;
use least_action_core::system::{Constrained, Lagrangian, Look, Natural, Signal, State, Stiff};
use least_action_declared::{Declared, Interpreted, Refusal};
use least_action_methods::{Entry, Faced, METHODS, Options, PenalizedBody, Setup, VibratedFace};
use least_action_pages::model::Drawable;
use serde_json::{Map, Value, json};

/// The most bytes of a system: the memory of a page is small.
const MEMORY: u64 = 1 << 28;

/// A model with its parameters.
pub(crate) struct Opened {
    pub(crate) declared: Arc<Declared>,
    pub(crate) parameters: Map<String, Value>,
    pub(crate) bound: Dynamic,
    pub(crate) oracle: Interpreted,
    pub(crate) start: State,
    pub(crate) times: [Option<f64>; 2],
    /// Inputs that may change between two steps.
    pub(crate) inputs: Vec<(String, Signal)>,
}

impl Opened {
    /// Binds a model to its defaults with parameters laid over them.
    ///
    /// # Errors
    /// They make no system.
    pub(crate) fn new(declared: &Arc<Declared>, given: &Map<String, Value>) -> Result<Self, Refusal> {
        // A field that the text no more has is gone with its value.
        let has = |name: &String| declared.model().fields().iter().any(|field| field.name == *name);
        let mut given = given.clone();
        given.retain(|name, _| has(name));
        let mut own = Self::bind(declared, &given)?;
        let steady: Vec<(String, f64)> =
            own.signals().map(|(name, signal)| (name, signal.value(0.0))).collect();
        for (name, value) in steady {
            let before = given.insert(name.clone(), json!({ "held": value }));
            // An input may not jump whose slope the motion needs.
            match (Self::bind(declared, &given), before) {
                (Ok(held), _) => own = held,
                (Err(_), Some(before)) => drop(given.insert(name, before)),
                (Err(_), None) => drop(given.remove(&name)),
            }
        }
        own.inputs = own.signals().filter(|(_, signal)| signal.is_held()).collect();
        Ok(own)
    }

    fn bind(declared: &Arc<Declared>, given: &Map<String, Value>) -> Result<Self, Refusal> {
        let instance = declared.parameters(&Value::Object(given.clone()))?;
        let bound = declared.bind(&instance, MEMORY)?;
        let still = || State::at_rest(vec![0.0; bound.faces().mechanics.dimension()]);
        let start = declared.start(&instance)?.unwrap_or_else(still);
        let (times, parameters) = (declared.times(&instance)?, declared.written(&instance));
        let oracle = declared.oracle(&instance)?;
        Ok(Self {
            declared: Arc::clone(declared),
            parameters,
            bound,
            oracle,
            start,
            times,
            inputs: Vec::new(),
        })
    }

    /// The inputs without times, by the names of their parameters.
    fn signals(&self) -> impl Iterator<Item = (String, Signal)> + '_ {
        let all = self.lagrangian_face().signals().iter().filter(|(_, signal)| signal.times().is_empty());
        all.map(|(name, signal)| (name.to_string(), signal.clone()))
    }

    pub(crate) fn lagrangian_face(&self) -> &dyn Lagrangian {
        self.bound.faces().mechanics
    }

    /// Starts a method, which may not have the face that it needs.
    pub(crate) fn begin<'s>(
        &'s self,
        (entry, options): (&Entry, &Options),
        state: State,
        step: f64,
    ) -> Result<least_action_methods::Running<'s>, String> {
        let setup = Setup { options, state, step, seed: 0, forewarned: false };
        let started = (entry.start)(self, setup);
        let unfit = || format!("`{}` does not fit this model", entry.name);
        started.ok_or_else(unfit)?.map_err(|error| error.to_string())
    }

    /// The method of this name, if it starts here.
    pub(crate) fn starts(&self, name: &str, options: &Options, state: &State) -> Option<&'static Entry> {
        let entry = METHODS.iter().find(|entry| entry.name == name)?;
        self.begin((entry, options), state.clone(), f64::EPSILON.sqrt()).ok().map(|_| entry)
    }

    /// The methods that start here, of a large model the usual ones.
    pub(crate) fn methods(&self, state: &State) -> Vec<&'static Entry> {
        /// The start of every method takes too long for more coordinates.
        const MOST: usize = 400;
        let is_tried = |name: &&str| state.q.len() <= MOST || USUAL.contains(name);
        let names = METHODS.iter().map(|entry| entry.name).filter(is_tried);
        let usual = Options::default();
        names.filter_map(|name| self.starts(name, &usual, state)).collect()
    }
}

/// The methods that the command advises, the first that starts before the others.
pub(crate) const USUAL: [&str; 5] =
    ["hmm-asynchronous", "so3-verlet", "rattle", "verlet", "variational-midpoint"];

impl Faced for Opened {
    fn natural(&self) -> Option<&dyn Natural> {
        self.bound.faces().natural
    }

    fn stiff(&self) -> Option<&dyn Stiff> {
        self.bound.faces().stiff
    }

    fn constrained(&self) -> Option<&dyn Constrained> {
        self.bound.faces().constrained
    }

    fn lagrangian(&self) -> &dyn Lagrangian {
        self.lagrangian_face()
    }

    fn vibrated(&self) -> Option<VibratedFace<'_>> {
        let faces = self.bound.faces();
        match faces.constrained_vibrated {
            Some(system) => Some(VibratedFace::Constrained(system, faces.constrained_even)),
            None => Some(VibratedFace::Free(faces.vibrated?, faces.even_in_phase)),
        }
    }

    fn body(&self) -> Option<&PenalizedBody<'_>> {
        None
    }
}

impl Drawable for Opened {
    fn lagrangian(&self) -> &dyn Lagrangian {
        self.lagrangian_face()
    }

    fn look(&self) -> Result<Look, least_action_pages::Error> {
        let own = self.declared.parameters(&Value::Object(self.parameters.clone()));
        let look = own.and_then(|own| self.declared.look(&own, &self.start));
        look.map_err(|refusal| least_action_pages::Error::panicked(&self.declared.facts().name, refusal))
    }

    fn places(&self, q: &[f64], v: &[f64], t: f64) -> Vec<Place> {
        self.oracle.points(q, v, t).unwrap_or_default()
    }

    fn visit_potential(&self, most: usize, visit: &mut dyn FnMut(usize, &[u32])) {
        self.bound.visit_potential(most, visit);
    }
}
