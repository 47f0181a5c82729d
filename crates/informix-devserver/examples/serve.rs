//! A server on the port given as argument (9088 without one), until standard input ends.

use std::error::Error;

use informix_devserver::DevServer;

fn main() -> Result<(), Box<dyn Error>> {
    let port = std::env::args().nth(1).map_or(Ok(9088), |port| port.parse())?;
    let mut server = DevServer::builder().port(port).start()?;
    println!("listening on {}", server.address());
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink())?;
    server.stop();
    Ok(())
}
