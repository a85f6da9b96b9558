import { defineEvent } from '#platform/runtime/events.server.ts';

interface About {
  companyId: string;
  clientId: string;
  sheetId: string;
  /** Its list and month, in the language of the firm. */
  name: string;
}

/** A client has sent a sheet, which waits for the firm. Announced in the transaction. */
export const sheetSubmitted = defineEvent<About>();
/** A sheet is late: nobody has sent it until the day that it was due. */
export const sheetLate = defineEvent<About>();
/** Nobody of the firm has to do anything about these sheets any more. */
export const sheetsSettled = defineEvent<{ sheetIds: readonly string[] }>();
