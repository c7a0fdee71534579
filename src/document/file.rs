//! Reading a file before anything is known about what it says.

use std::path::Path;

use super::{Problem, Problems};

/// The size of the largest file that is read. People write these files; a larger one is another file by mistake.
const LARGEST: u64 = 1024 * 1024;

/// Reads a text file. A byte order mark at its beginning is left out.
///
/// # Errors
/// When it cannot be read, is no file, is too large, or is not UTF-8.
pub fn read_file(path: &Path) -> Result<String, Problems> {
    read_file_up_to(path, LARGEST)
}

/// As [`read_file`], for files that programs write: with another size of the largest.
///
/// # Errors
/// As [`read_file`].
pub fn read_file_up_to(path: &Path, largest: u64) -> Result<String, Problems> {
    let file = path.display().to_string();
    let problem = |message: String| Problems::from(Problem::of_file(&file, message));
    let unreadable = |error: std::io::Error| problem(format!("cannot be read: {error}"));
    let about = std::fs::metadata(path).map_err(unreadable)?;
    if about.is_dir() {
        return Err(problem("is a directory; name the file in it".into()));
    }
    if about.len() > largest {
        return Err(problem(format!("has {} bytes, and the most is {largest}: is it the right file?", about.len())));
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        problem(format!("is not UTF-8: line {line} has other bytes"))
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<String, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.yaml");
        std::fs::write(&path, bytes).unwrap();
        read_file(&path).map_err(|problem| problem.to_string())
    }

    #[test]
    fn a_byte_order_mark_is_no_document_of_its_own() {
        assert_eq!(read(b"\xef\xbb\xbfa: 1").unwrap(), "a: 1");
    }

    #[test]
    fn what_is_no_profile_is_named_for_what_it_is() {
        assert!(read(b"a: 1\nb: \xff\n").unwrap_err().contains("is not UTF-8: line 2"));
        assert!(read(&vec![b'#'; 2 * 1024 * 1024]).unwrap_err().contains("is it the right file?"));
        let folder = tempfile::tempdir().unwrap();
        assert!(read_file(folder.path()).unwrap_err().to_string().contains("is a directory"));
        assert!(read_file(&folder.path().join("none")).unwrap_err().to_string().contains("cannot be read"));
    }
}
