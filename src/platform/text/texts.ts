/**
 * A text of any namespace, named where it is declared and translated where it is shown; made by `text` (texts.server.ts), which
 * checks the key by its type.
 */
export interface Text {
  readonly namespace: string;
  readonly key: string;
}
