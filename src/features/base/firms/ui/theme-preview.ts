import { areColors, colorProperties, colorsFrom, legibility, type Colors } from '../colors.ts';

/* Updates the preview of the branding while the form is edited, before anything is saved. */

type ImageField = 'logo' | 'banner';

for (const preview of document.querySelectorAll<HTMLElement>('[data-preview-of]')) {
  const form = document.getElementById(preview.dataset['previewOf'] ?? '');
  if (form instanceof HTMLFormElement) follow(form, preview);
}

function follow(form: HTMLFormElement, preview: HTMLElement): void {
  /** Chosen images as data URLs. */
  const chosen: Partial<Record<ImageField, string>> = {};
  const valueOf = (name: string): string => {
    const value = new FormData(form).get(name);
    return typeof value === 'string' ? value : '';
  };

  const showColors = (): void => {
    const colors = colorsFrom(valueOf);
    const isValid = areColors(colors);
    for (const verdict of form.querySelectorAll<HTMLElement>('[data-verdict]')) {
      const [fill, text] = verdict.dataset['verdict']?.split(' ') as [keyof Colors, keyof Colors];
      verdict.hidden = !isValid;
      if (isValid) showVerdict(verdict, legibility(colors[fill], colors[text]));
    }
    if (!isValid) return; // while a color is typed
    const { light, dark } = colorProperties(colors);
    const properties = matchMedia('(prefers-color-scheme: dark)').matches ? { ...light, ...dark } : light;
    for (const [name, value] of Object.entries(properties)) preview.style.setProperty(name, value);
  };

  const showTexts = (): void => {
    for (const element of preview.querySelectorAll<HTMLElement>('[data-shows]'))
      element.textContent = valueOf(element.dataset['shows'] ?? '');
    const page = preview.querySelector('.page');
    page?.classList.remove(...[...page.classList].filter((name) => name.endsWith('-ground')));
    page?.classList.add(`${valueOf('loginBackground')}-ground`);
  };

  const imageIn = (name: ImageField): string | undefined =>
    chosen[name] ??
    (new FormData(form).has(name === 'logo' ? 'noLogo' : 'noBanner') ? undefined : preview.dataset[name]);

  const showImages = (): void => {
    const url = imageIn('banner') ?? imageIn('logo');
    for (const strip of preview.querySelectorAll('.strip')) {
      strip.querySelector('img')?.remove();
      if (url !== undefined) strip.prepend(Object.assign(new Image(), { src: url, alt: '' }));
    }
    for (const line of preview.querySelectorAll<HTMLElement>('[data-shows=headerLine1]'))
      line.hidden = url !== undefined;
  };

  const choose = async (name: ImageField, file: File | undefined): Promise<void> => {
    const url = await readImage(file);
    if (url === undefined) delete chosen[name];
    else chosen[name] = url;
    showImages();
  };

  form.addEventListener('input', () => {
    showColors();
    showTexts();
  });
  form.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    const { name, files } = target;
    if (name === 'logo' || name === 'banner') void choose(name, files?.[0]);
    else if (name === 'noLogo' || name === 'noBanner') showImages();
  });
  // The browser may have kept what was typed before a reload.
  showColors();
  showTexts();
  showImages();
}

function showVerdict(element: HTMLElement, { ratio, color, isGood }: ReturnType<typeof legibility>): void {
  const { good = '', mended = '' } = element.dataset;
  element.textContent = (isGood ? good : mended)
    .replace('{ratio}', ratio.toLocaleString(document.documentElement.lang))
    .replace('{color}', color);
  element.classList.toggle('mended', !isGood);
}

/** Reads a file as a data URL, which the content security policy allows; undefined unless it is an image. */
async function readImage(file: File | undefined): Promise<string | undefined> {
  if (!file?.type.startsWith('image/') || file.type === 'image/svg+xml') return undefined;
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(String(reader.result)));
    reader.addEventListener('error', () => resolve(undefined));
    reader.readAsDataURL(file);
  });
}
