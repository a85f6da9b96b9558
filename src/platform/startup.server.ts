/** A mistake of the person who installs the portal: told in its own sentence, without the lines of the program it came from. */
export class ConfigurationError extends Error {
  override name = 'ConfigurationError';
}

// Whatever this process writes is for its own user alone: the embedded database too, which asks for no mode itself.
process.umask(0o077);

// The first import of the front door: it hears also of what goes wrong while the other modules are loaded.
process.on('uncaughtException', (error) => {
  process.stderr.write(`${error instanceof ConfigurationError ? error.message : (error.stack ?? error.message)}\n`);
  process.exit(1);
});
