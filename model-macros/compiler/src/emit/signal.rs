//! The signals of a declaration, for the binder and for messages.

use super::Names;
use crate::graph::Reading;
use crate::lower::{Lowered, Signal, SignalUse};
use proc_macro2::TokenStream;
use quote::quote;

/// Tells the binder the signals, in their order.
pub(super) fn signals(lowered: &Lowered) -> Vec<TokenStream> {
    let Names { binder, .. } = Names::new();
    let declared = lowered.signals.iter().map(|Signal { expression, name, used }| {
        let path = quote!(::least_action::emitted::v1::Use);
        let used = match used {
            SignalUse::Input => quote!(#path::Input),
            SignalUse::Table { with_slope: true } => quote!(#path::SteepTable),
            SignalUse::Table { with_slope: false } => quote!(#path::Table),
        };
        quote!(#binder.signal(#name, #expression, #used)?;)
    });
    declared.collect()
}

/// A number of a signal, in words.
pub(super) fn text(signal: &Signal, reading: Reading) -> String {
    let Signal { name, used, .. } = signal;
    match (used, reading) {
        (SignalUse::Input, _) => name.clone(),
        (_, Reading::Value) => format!("{name}.value"),
        (_, Reading::Slope) => format!("{name}.slope"),
        (_, Reading::Start) => format!("{name}.start"),
    }
}
