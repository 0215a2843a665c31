//! Parquet files, whoever wrote them: pages by Snappy, Zstandard and gzip, and damage as an error.
//!
//! The library that reads them panics where a file says of itself a thing that is not so.
//! [`ParquetInput::read`] is the only place that calls the library, and turns its panics into errors.

mod meaning;
pub(crate) mod table;

use std::fs::File;
use std::io::{self, BufWriter, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use least_action::files;
use least_action_pages::guard::guarded;
use parquet::basic::Compression;
use parquet::bloom_filter::Sbbf;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::metadata::{KeyValue, ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, Length, RowGroupReader, SerializedPageReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::reader::RowIter;
use parquet::schema::types::Type as Schema;
use ruzstd::decoding::StreamingDecoder;

use crate::error::{Error, Result};
use crate::places::KEY;

pub(crate) use meaning::Meaning;

/// A Parquet file that was opened.
pub(crate) struct ParquetInput {
    path: PathBuf,
    content: Content,
}

impl ParquetInput {
    /// Opens a file, and reads its end, the description of its content.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = files::open(path).map_err(|error| Error::unreadable(path, &error))?;
        let metadata = sound(path, || ParquetMetaDataReader::new().parse_and_finish(&file))?;
        Ok(Self { path: path.to_owned(), content: Content { file: Arc::new(file), metadata } })
    }

    /// The value of a key of the metadata.
    pub(crate) fn metadata(&self, key: &str) -> Result<Option<String>> {
        self.read(|file| {
            let all = file.metadata().file_metadata().key_value_metadata();
            Ok(all.into_iter().flatten().find(|pair| pair.key == key).and_then(|pair| pair.value.clone()))
        })
    }

    /// Reads something of the file.
    pub(crate) fn read<R>(&self, work: impl FnOnce(&dyn FileReader) -> ParquetResult<R>) -> Result<R> {
        sound(&self.path, || work(&self.content))
    }
}

/// A file of these columns, with words on itself where there are some.
pub(crate) fn writer(
    file: BufWriter<File>,
    name: &str,
    columns: impl Iterator<Item = ParquetResult<Schema>>,
    words: &str,
) -> ParquetResult<SerializedFileWriter<BufWriter<File>>> {
    let fields = columns.map(|column| column.map(Arc::new)).collect::<ParquetResult<_>>()?;
    let schema = Schema::group_type_builder(name).with_fields(fields).build()?;
    let words = (!words.is_empty()).then(|| vec![KeyValue::new(KEY.to_owned(), words.to_owned())]);
    // Numbers hardly repeat themselves: a dictionary would only cost time.
    let properties = WriterProperties::builder().set_dictionary_enabled(false);
    let properties = properties.set_key_value_metadata(words).build();
    SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))
}

/// The error of the system, where it is one.
pub(crate) fn io_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => error.downcast().map_or_else(io::Error::other, |error| *error),
        error => io::Error::other(error),
    }
}

/// Refuses a whole file that this program does not read, in words behind "cannot read FILE: ".
pub(crate) fn refused<R>(reason: String) -> ParquetResult<R> {
    Err(ParquetError::NYI(reason))
}

/// The result of some work with a file, in the words of this program where it has none.
fn sound<R>(path: &Path, work: impl FnOnce() -> ParquetResult<R>) -> Result<R> {
    let contradicts = |_: String| Err(ParquetError::General("its parts contradict each other".to_owned()));
    guarded(work).unwrap_or_else(contradicts).map_err(|error| match error {
        ParquetError::NYI(reason) => Error::unreadable(path, &reason),
        ParquetError::General(reason) | ParquetError::EOF(reason) => Error::unreadable(
            path,
            &format!("it is damaged, or cut short, by which a Parquet file loses all its rows: {reason}"),
        ),
        other => Error::unreadable(path, &format!("it is damaged: {other}")),
    })
}

/// A file with the description of its content.
struct Content {
    file: Arc<File>,
    metadata: ParquetMetaData,
}

impl FileReader for Content {
    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }

    fn num_row_groups(&self) -> usize {
        self.metadata.num_row_groups()
    }

    fn get_row_group(&self, number: usize) -> ParquetResult<Box<dyn RowGroupReader + '_>> {
        Ok(Box::new(RowGroup { file: &self.file, metadata: self.metadata.row_group(number) }))
    }

    fn get_row_iter(&self, projection: Option<Schema>) -> ParquetResult<RowIter<'_>> {
        RowIter::from_file(projection, self)
    }
}

/// Some of the rows, column by column.
struct RowGroup<'f> {
    file: &'f Arc<File>,
    metadata: &'f RowGroupMetaData,
}

impl RowGroupReader for RowGroup<'_> {
    fn metadata(&self) -> &RowGroupMetaData {
        self.metadata
    }

    fn num_columns(&self) -> usize {
        self.metadata.num_columns()
    }

    fn get_column_page_reader(&self, place: usize) -> ParquetResult<Box<dyn PageReader>> {
        let column = self.metadata.column(place);
        let codec = column.compression();
        if !matches!(
            codec,
            Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::GZIP(_) | Compression::ZSTD(_)
        ) {
            let name = format!("{codec:?}");
            let name = name.split('(').next().unwrap_or_default();
            return refused(format!(
                "it is compressed as {name}; write it with Snappy, Zstandard or gzip, or without compression"
            ));
        }
        // Room for a page is taken before the page is read.
        let (begin, length) = column.byte_range();
        if begin.checked_add(length).is_none_or(|end| end > self.file.len()) {
            return Err(ParquetError::EOF("a column ends behind the end of the file".to_owned()));
        }
        // The library hands out the pages as they stand in the file.
        let uncompressed =
            column.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
        let rows = usize::try_from(self.metadata.num_rows())?;
        let stored = SerializedPageReader::new(Arc::clone(self.file), &uncompressed, rows, None)?;
        let most = u64::try_from(column.uncompressed_size()).unwrap_or(0);
        Ok(Box::new(Pages { stored, codec, most }))
    }

    fn get_column_bloom_filter(&self, _: usize) -> Option<&Sbbf> {
        None
    }

    fn get_row_iter(&self, projection: Option<Schema>) -> ParquetResult<RowIter<'_>> {
        RowIter::from_row_group(projection, self)
    }
}

/// The pages of a column in a row group, decompressed.
struct Pages {
    stored: SerializedPageReader<File>,
    codec: Compression,
    /// The bytes of all pages together, decompressed.
    most: u64,
}

impl Pages {
    fn unpacked(&self, mut page: Page) -> ParquetResult<Page> {
        match &mut page {
            Page::DataPageV2 { is_compressed: false, .. } => {}
            Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, .. } => {
                let levels = *def_levels_byte_len as usize + *rep_levels_byte_len as usize;
                *buf = self.unpack(buf, levels)?.into();
            }
            Page::DataPage { buf, .. } => *buf = self.unpack(buf, 0)?.into(),
            Page::DictionaryPage { buf, num_values, .. } => {
                *buf = self.unpack(buf, 0)?.into();
                // The reader takes room for all words of a dictionary; each has a bit at least.
                if *num_values as usize > 8 * buf.len() {
                    return Err(ParquetError::EOF("a dictionary has fewer words than it says".to_owned()));
                }
            }
        }
        Ok(page)
    }

    /// The bytes of a page; its levels, which stand first, are never compressed.
    fn unpack(&self, bytes: &[u8], levels: usize) -> ParquetResult<Vec<u8>> {
        let Some((levels, packed)) = bytes.split_at_checked(levels) else {
            return Err(ParquetError::EOF("a page is shorter than its levels".to_owned()));
        };
        let mut unpacked = levels.to_vec();
        let broken = |error: &dyn std::error::Error| ParquetError::General(error.to_string());
        match self.codec {
            // A page of nothing but gaps has no values.
            _ if packed.is_empty() => {}
            Compression::SNAPPY => {
                let length = snap::raw::decompress_len(packed).map_err(|error| broken(&error))?;
                if length as u64 > self.most {
                    return Err(ParquetError::General("a page is longer than its column".to_owned()));
                }
                let values = snap::raw::Decoder::new().decompress_vec(packed);
                unpacked.extend(values.map_err(|error| broken(&error))?);
            }
            Compression::GZIP(_) => {
                let mut values = MultiGzDecoder::new(packed).take(self.most);
                values.read_to_end(&mut unpacked).map_err(|error| broken(&error))?;
            }
            Compression::ZSTD(_) => {
                let values = StreamingDecoder::new(packed).map_err(|error| broken(&error))?;
                values.take(self.most).read_to_end(&mut unpacked).map_err(|error| broken(&error))?;
            }
            _ => unpacked.extend_from_slice(packed),
        }
        Ok(unpacked)
    }
}

impl Iterator for Pages {
    type Item = ParquetResult<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> ParquetResult<Option<Page>> {
        self.stored.get_next_page()?.map(|page| self.unpacked(page)).transpose()
    }

    fn peek_next_page(&mut self) -> ParquetResult<Option<PageMetadata>> {
        self.stored.peek_next_page()
    }

    fn skip_next_page(&mut self) -> ParquetResult<()> {
        self.stored.skip_next_page()
    }
}
