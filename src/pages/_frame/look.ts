import { MOST_IMAGE_BYTES } from '#features/firms/firms.server.ts';
import { THEME_FIELDS, themeInput, type ThemeInput } from '#features/firms/firms.ts';
import type { KeysOf } from '#platform/words.server.ts';

export type LookProblems = Partial<Record<keyof ThemeInput | 'logo' | 'banner', KeysOf<'shell'>>>;

interface Typed {
  input: ThemeInput;
  problems: LookProblems;
  logo: Buffer | 'none' | undefined;
  banner: Buffer | 'none' | undefined;
}

/** What was typed and chosen on the form of a firm's look, and what is wrong with it, in words of the shell. */
export async function readLook(form: FormData): Promise<Typed> {
  const typed = Object.fromEntries(THEME_FIELDS.map((name) => [name, String(form.get(name) ?? '')])) as ThemeInput;
  const parsed = themeInput.safeParse(typed);
  const problems: LookProblems = {};
  for (const { path } of parsed.error?.issues ?? []) {
    const name = path[0] as keyof ThemeInput;
    problems[name] = name.endsWith('Color') ? 'colourWrong' : name === 'logoutUrl' ? 'logoutWrong' : name === 'headerLine1' && typed.headerLine1.trim() === '' ? 'headerLine1Missing' : 'lookTextWrong';
  }
  const images = { logo: form.get('logo'), banner: form.get('banner') };
  for (const kind of ['logo', 'banner'] as const) if (images[kind] instanceof File && images[kind].size > MOST_IMAGE_BYTES) problems[kind] = 'imageTooLarge';
  const change = async (kind: 'logo' | 'banner'): Promise<Buffer | 'none' | undefined> => {
    const file = images[kind];
    if (file instanceof File && file.size > 0) return Buffer.from(await file.arrayBuffer());
    return form.has(`no-${kind}`) ? 'none' : undefined;
  };
  return { input: parsed.data ?? typed, problems, logo: await change('logo'), banner: await change('banner') };
}
