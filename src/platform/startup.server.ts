/** A configuration mistake of the operator: reported as its message only, without a stack trace. */
export class ConfigurationError extends Error {
  override name = 'ConfigurationError';
}

// Files of this process are for its own user only, including the embedded database, which sets no mode
// itself.
process.umask(0o077);

// Imported first, so that it also catches errors while other modules load.
process.on('uncaughtException', (error) => {
  process.stderr.write(
    `${error instanceof ConfigurationError ? error.message : (error.stack ?? error.message)}\n`,
  );
  process.exit(1);
});
