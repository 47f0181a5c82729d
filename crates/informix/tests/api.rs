//! The API against the embedded server: every case runs on both faces.

mod blocking_face {
    macro_rules! w {
        ($call:expr) => {
            $call
        };
    }

    macro_rules! cases {
        ($($(#[$attribute:meta])* fn $name:ident($server:ident, $c:ident) $body:block)*) => {$(
            $(#[$attribute])*
            #[test]
            fn $name() {
                let $server = crate::start();
                let test = || -> informix::Result<()> {
                    let $c = Connection::connect(crate::config(&$server))?;
                    $body
                    Ok(())
                };
                if let Err(e) = test() {
                    panic!("{e}");
                }
            }
        )*};
    }

    use informix::blocking::{Answer, Connection};
    include!("cases/api.rs");
}

mod tokio_face {
    macro_rules! w {
        ($call:expr) => {
            $call.await
        };
    }

    macro_rules! cases {
        ($($(#[$attribute:meta])* fn $name:ident($server:ident, $c:ident) $body:block)*) => {$(
            $(#[$attribute])*
            #[test]
            fn $name() {
                let $server = crate::start();
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                let test = async {
                    let $c = Connection::connect(crate::config(&$server)).await?;
                    $body
                    Ok::<(), informix::Error>(())
                };
                if let Err(e) = runtime.block_on(test) {
                    panic!("{e}");
                }
            }
        )*};
    }

    use informix::aio::{Answer, Connection};
    include!("cases/api.rs");
}

fn start() -> informix_devserver::DevServer {
    let utf8 = "en_US.utf8".parse().unwrap();
    informix_devserver::DevServer::builder()
        .port(0)
        .database("testdb", informix_devserver::DatabaseMode::Logged, utf8)
        .start()
        .unwrap()
}

fn config(server: &informix_devserver::DevServer) -> informix::Config {
    let mut config: informix::Config = server.url().parse().unwrap();
    config.client_locale = Some("en_US.utf8".to_owned());
    config.db_locale = Some("en_US.utf8".to_owned());
    config.statement_timeout = Some(std::time::Duration::from_secs(30));
    config
}
