//! Names that Rust, cargo, Python and the packages of a new crate have for themselves.

/// Keywords of Rust and of Python: neither takes them for the name of a module.
pub(super) const KEYWORDS: &str = "abstract and as assert async await become box break class const continue crate def del do dyn elif else enum \
    except extern false final finally fn for from gen global if impl import in is lambda let loop macro match mod move mut none nonlocal not \
    or override pass priv pub raise ref return self static struct super trait true try type typeof unsafe unsized use virtual where while \
    with yield";

/// Crates, primitive types and tools of Rust, and a dependency of the new crate.
/// The packages of Least Action are beside them: they begin alike.
pub(super) const CRATES: &str = "alloc bool char clippy core diagnostic f16 f32 f64 f128 i8 i16 i32 i64 i128 isize miri proc_macro rustfmt \
    serde std str test u8 u16 u32 u64 u128 usize";

/// Types that the declaration of a model names, or that Rust and the prelude bring: a model of such a
/// name hides one.
pub(super) const TYPES: &str = "Angle Bound Box Cell Clone ConstraintResidual Copy Debug Default Deserialize Driven Drop Energy Eq Err Error Forced Holonomic Input Iterator \
    Lagrangian Look Mat3 Matrix3 Model Natural Near None Nonholonomic Ok Option Ord Phase Rattle Result Scalar Send Serialize Signal Sized Some Start \
    State Stiff String Sync System Time ToOwned ToString Vec Vec2 Vec3 Vector2 Vector3 Workbench";

/// Folders that cargo keeps beside programs, and devices that Windows takes for files.
pub(super) const PLACES: &str = "build deps examples incremental aux com0 com1 com2 com3 com4 com5 com6 com7 com8 com9 con lpt0 lpt1 lpt2 lpt3 lpt4 \
    lpt5 lpt6 lpt7 lpt8 lpt9 nul prn";

/// The modules of Python itself, from 3.10 on: a crate of such a name hides one from all programs.
pub(super) const MODULES: &str = "abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii \
    binhex bisect builtins bz2 calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall compression concurrent \
    configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest \
    email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass \
    gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json \
    keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc \
    nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform \
    plistlib poplib posix posixpath pprint profile profiling pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re \
    readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket \
    socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau symtable sys \
    sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading time timeit tkinter token tokenize tomllib trace \
    traceback tracemalloc tty turtle turtledemo types typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg \
    winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo";

/// The packages that the module, its test and its notebook need, and the packages of these.
pub(super) const PACKAGES: &str = "anyio argon2 arrow attr attrs babel bleach bs4 certifi cffi comm contourpy cycler dateutil debugpy decorator \
    defusedxml exceptiongroup executing fastjsonschema fonttools fqdn h11 httpcore httpx idna iniconfig ipykernel isoduration jedi jinja2 json5 \
    jsonpointer jsonschema jupyter jupyter_client jupyter_core jupyter_events jupyter_lsp jupyter_server jupyterlab jupyterlab_server \
    kiwisolver lark markupsafe matplotlib maturin mistune nbclient nbconvert nbformat notebook notebook_shim numpy packaging pandas pandocfilters \
    parso pexpect pip pkg_resources platformdirs pluggy prometheus_client psutil ptyprocess pure_eval pyarrow pycparser pygments pylab pyparsing \
    pytest pythonjsonlogger referencing requests rfc3986_validator rpds scipy setuptools six sniffio soupsieve stack_data terminado tinycss2 \
    tomli tornado traitlets uri_template urllib3 wcwidth webcolors webencodings websocket wheel yaml zmq";

/// True if a list has a name.
pub(super) fn has(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|word| word == name)
}
