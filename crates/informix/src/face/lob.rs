//! `LobReader` and `LobWriter` of both faces.

macro_rules! lob_face {
    ([$($async:tt)?], $wait:ident, $own:ident, $lock:ident) => {
        /// A BLOB or CLOB that is read piece by piece. End it with [`LobReader::close`].
        #[derive(Debug)]
        pub struct LobReader<'c> {
            connection: &'c Connection,
            lob: OpenLob,
        }

        impl<'c> LobReader<'c> {
            fn new(connection: &'c Connection, lob: OpenLob) -> Self {
                Self { connection, lob }
            }

            /// The size in bytes.
            ///
            /// # Errors
            /// When the server refuses.
            pub $($async)? fn size(&self) -> Result<u64> {
                let mut session = $lock!(self.connection.session);
                $wait!(session.lob_size(&self.lob))
            }

            /// Moves to a byte from the start.
            ///
            /// # Errors
            /// When the server refuses.
            pub $($async)? fn seek(&mut self, offset: u64) -> Result<()> {
                let offset = i64::try_from(offset).map_err(|_| Error::usage("the offset is too large"))?;
                let mut session = $lock!(self.connection.session);
                $wait!(session.seek_lob(&self.lob, offset))
            }

            /// The next bytes, at most `length`; empty at the end.
            ///
            /// # Errors
            /// When the server refuses.
            pub $($async)? fn read(&mut self, length: usize) -> Result<Vec<u8>> {
                let mut session = $lock!(self.connection.session);
                $wait!(session.read_lob(&self.lob, length))
            }

            /// Closes it.
            ///
            /// # Errors
            /// When the server refuses.
            pub $($async)? fn close(self) -> Result<()> {
                let mut session = $lock!(self.connection.session);
                $wait!(session.close_lob(self.lob))
            }
        }

        /// A new BLOB or CLOB that is written piece by piece.
        #[derive(Debug)]
        pub struct LobWriter<'c> {
            connection: &'c Connection,
            lob: OpenLob,
        }

        impl<'c> LobWriter<'c> {
            fn new(connection: &'c Connection, lob: OpenLob) -> Self {
                Self { connection, lob }
            }

            /// Appends bytes.
            ///
            /// # Errors
            /// When the server refuses.
            pub $($async)? fn write(&mut self, data: &[u8]) -> Result<()> {
                let mut session = $lock!(self.connection.session);
                $wait!(session.write_lob(&self.lob, data))
            }

            /// Closes it and gives the locator: the parameter for the column. An object that no row refers to is removed
            /// by the server in the end.
            ///
            /// # Errors
            /// When the server refuses.
            pub $($async)? fn finish(self) -> Result<LobLocator> {
                let locator = self.lob.locator();
                let mut session = $lock!(self.connection.session);
                $wait!(session.close_lob(self.lob))?;
                Ok(locator)
            }
        }
    };
}
