import { documentAdded, scanLater } from '#features/documents/documents.server.ts';

/* Which feature acts on an event of one below it. */

documentAdded.subscribe(scanLater);
