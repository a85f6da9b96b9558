/* Fills in the reader's time zone. */

for (const field of document.querySelectorAll<HTMLInputElement>('input[data-time-zone]'))
  field.value = new Intl.DateTimeFormat().resolvedOptions().timeZone;
