//! The command `{name}`.

fn main() -> std::process::ExitCode {
    {module}::command().main()
}
