import { plainHttp } from '#platform/http/http.ts';
import { ADDRESS_PARTS, addressLabels } from '#platform/inputs/address.ts';

/*
 * Shows the fields of the chosen country: other labels, other fields, and its states (spec 2, sections 4 and 9). Without
 * scripts a button renders the page again.
 */

const STATES_URL = '/api/core/v1/contact-address-state-provinces';
const DELAY = 100;

interface State {
  id: string;
  name: string;
}

let reloading: ReturnType<typeof setTimeout> | undefined;

export function changeCountry(country: HTMLSelectElement): void {
  const fields = country.closest<HTMLFieldSetElement>('[data-address]');
  if (!fields) return;
  showFields(fields, country.value);
  replaceState(fields, []);
  clearTimeout(reloading);
  // arrow keys choose one country after the other
  reloading = setTimeout(() => void loadStates(fields, country), DELAY);
}

const controlOf = (fields: HTMLFieldSetElement, part: string) =>
  fields.querySelector<HTMLInputElement | HTMLSelectElement>(`[name$=".${part}"]`);

function showFields(fields: HTMLFieldSetElement, country: string): void {
  const texts = new Map(
    Object.entries(JSON.parse(fields.dataset['labels'] ?? '{}') as Record<string, string>),
  );
  const labels = addressLabels(country);
  for (const part of ADDRESS_PARTS) {
    const field = controlOf(fields, part)?.closest<HTMLElement>('.field');
    const text = field?.querySelector('label > span');
    if (!field || !text) continue;
    const label = labels[part];
    field.hidden = label === undefined;
    if (label !== undefined) text.textContent = texts.get(label) ?? '';
  }
}

async function loadStates(fields: HTMLFieldSetElement, country: HTMLSelectElement): Promise<void> {
  const chosen = country.value;
  if (addressLabels(chosen).state === undefined) return;
  const states = await statesOf(chosen);
  if (country.value === chosen) replaceState(fields, states);
}

/** The states of a country; none if they cannot be loaded, as the server accepts their names, too. */
async function statesOf(country: string): Promise<State[]> {
  const response = await plainHttp
    .get(STATES_URL, {
      searchParams: { 'contactAddressCountryIdRequest.contactAddressCountryId': country },
      headers: { 'Accept-Language': document.documentElement.lang },
    })
    .catch(() => undefined);
  return response?.ok ? ((await response.json<{ items: State[] }>()).items ?? []) : [];
}

/** Replaces the state: by a select of the states, or an empty text where there is no list. */
function replaceState(fields: HTMLFieldSetElement, states: readonly State[]): void {
  const current = controlOf(fields, 'state');
  if (!current) return;
  const control = document.createElement(states.length > 0 ? 'select' : 'input');
  for (const name of ['id', 'name', 'class', 'autocomplete']) {
    const value = current.getAttribute(name);
    if (value !== null) control.setAttribute(name, value);
  }
  if (control instanceof HTMLSelectElement) {
    control.append(new Option('', ''), ...states.map(({ id, name }) => new Option(name, id)));
    // what was filled in while the list was being loaded
    control.value = states.find(({ id, name }) => [id, name].includes(current.value))?.id ?? '';
  }
  current.replaceWith(control);
}
