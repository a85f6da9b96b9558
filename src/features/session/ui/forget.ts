/** Everything that pages keep in the browser for who is signed in (spec 1 section 9, storage keys): gone, also where Clear-Site-Data does nothing. */
export function forget(): void {
  sessionStorage.clear();
  for (const key of ['ccActiveClient', 'ccTheme', 'ccSessionEnds']) localStorage.removeItem(key);
}
