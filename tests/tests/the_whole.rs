//! The documents, the ready models, the command and every kind of model, in one program to link.

mod every_method_on_every_kind;
mod ready_models_and_the_command;
mod stated_intentions_that_hold;
mod the_book;
mod the_language_is_as_documented;
