//! The book, the ready models, the command and every kind of model, in one program: it is compiled and linked once.

mod compile_pass;
mod every_method_on_every_kind;
mod ready_models_and_the_command;
mod the_book;
mod the_language_is_as_documented;
