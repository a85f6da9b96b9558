/** A configuration mistake of the operator: reported as its message only, without a stack trace. */
export class ConfigurationError extends Error {
  override name = 'ConfigurationError';
}

// Files of this process are for its own user only, including the embedded database, which sets no mode
// itself.
process.umask(0o077);

let stateAfterFailure: (() => Promise<string>) | undefined;

/**
 * For a command that changes something: says in a sentence what holds if it fails. It is the last line that the operator
 * reads, after the message of the error.
 */
export function onFailure(sentence: () => Promise<string>): void {
  stateAfterFailure = sentence;
}

// Imported first, so that it also catches errors while other modules load.
process.on('uncaughtException', (error) => {
  const isExplained = error instanceof ConfigurationError || stateAfterFailure !== undefined;
  process.stderr.write(`${isExplained ? error.message : (error.stack ?? error.message)}\n`);
  if (!stateAfterFailure) process.exit(1);
  void stateAfterFailure()
    .then((sentence) => process.stderr.write(`${sentence}\n`))
    .finally(() => process.exit(1));
});
