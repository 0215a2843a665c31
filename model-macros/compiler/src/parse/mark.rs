//! The arguments of the attribute of a method: `#[force(bob)]`, `#[event(rising)]`, `#[reset(landing)]`,
//! `#[unilateral(restitution = self.bounce, friction = self.friction)]`.

use crate::ast::{Settings, Sort};
use crate::error::{self, Errors};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Ident, Meta, Token};

/// A name, or a name with a value.
struct Setting(Ident, Option<Expr>);

impl Parse for Setting {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.parse()?;
        let is_given = input.parse::<Option<Token![=]>>()?.is_some();
        Ok(Self(name, if is_given { Some(input.parse()?) } else { None }))
    }
}

/// The settings of a method; what its sort does not take is a mistake.
pub(super) fn settings(attribute: &Attribute, sort: Sort, errors: &mut Errors) -> Settings {
    let mut settings = Settings::default();
    let given: Option<Vec<Setting>> = match &attribute.meta {
        Meta::Path(_) => Some(Vec::new()),
        Meta::List(list) => {
            let parser = Punctuated::<Setting, Token![,]>::parse_terminated;
            list.parse_args_with(parser).ok().map(|all| all.into_iter().collect())
        }
        Meta::NameValue(_) => None,
    };
    let is_read = given.is_some_and(|given| {
        let is_empty = given.is_empty();
        let known = given.into_iter().all(|setting| settings.take(setting, sort));
        let is_list = matches!(attribute.meta, Meta::List(_));
        known && !(is_list && is_empty) && (sort != Sort::Reset || settings.event.is_some())
    });
    if !is_read {
        errors.push(match sort {
            Sort::Force => error::force_attribute(attribute),
            Sort::Reset => error::reset_attribute(attribute),
            Sort::Event => error::event_attribute(attribute),
            Sort::Unilateral => error::unilateral_attribute(attribute),
            Sort::Holonomic | Sort::Nonholonomic | Sort::Dissipation => {
                error::mark_with_arguments(attribute, sort.attribute())
            }
        });
    }
    settings
}

impl Settings {
    /// Takes a setting; false if the sort has none such, or has it already.
    fn take(&mut self, Setting(name, value): Setting, sort: Sort) -> bool {
        let place = match (sort, &value) {
            (Sort::Force, None) => &mut self.coordinate,
            (Sort::Reset, None) if self.event.is_none() => &mut self.event,
            (Sort::Reset, None) => &mut self.coordinate,
            (Sort::Event, None) if name == "rising" || name == "falling" => &mut self.direction,
            (Sort::Unilateral, Some(_)) => {
                let is_known = name == "restitution" || name == "friction";
                let is_new = self.coefficients.iter().all(|(other, _)| *other != name);
                self.coefficients.extend(value.map(|value| (name, value)));
                return is_known && is_new;
            }
            _ => return false,
        };
        place.replace(name).is_none()
    }
}
