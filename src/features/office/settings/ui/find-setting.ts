/* Finds a setting by its name, what it is for and its state. */

const folded = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

const box = document.querySelector<HTMLElement>('[data-find-setting]');
const none = document.querySelector<HTMLElement>('[data-no-setting]');
const field = box?.querySelector('input');
const groups = [...document.querySelectorAll<HTMLElement>('[data-settings]')].map((group) => ({
  group,
  areas: [...group.querySelectorAll<HTMLElement>('li')].map((area) => ({
    area,
    text: folded(area.textContent),
  })),
}));

function find(): void {
  const words = folded(field?.value ?? '')
    .split(/\s+/)
    .filter(Boolean);
  for (const { group, areas } of groups) {
    for (const { area, text } of areas) area.hidden = !words.every((word) => text.includes(word));
    group.hidden = areas.every(({ area }) => area.hidden);
  }
  const isNone = groups.every(({ group }) => group.hidden);
  if (none) none.textContent = isNone ? (none.dataset['noSetting'] ?? '') : '';
}

function openFirst({ key }: KeyboardEvent): void {
  if (key !== 'Enter') return;
  document.querySelector<HTMLAnchorElement>('[data-settings]:not([hidden]) li:not([hidden]) a')?.click();
}

if (box) box.hidden = false;
field?.addEventListener('input', find);
field?.addEventListener('keydown', openFirst);
if (field?.value) find(); // the browser restored it

export {};
