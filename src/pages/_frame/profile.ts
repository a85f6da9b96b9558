import { profileInput, type ProfileInput } from '#features/people/people.ts';
import type { KeysOf } from '#platform/words.server.ts';

export type ProfileProblems = Partial<Record<keyof ProfileInput, KeysOf<'shell'>>>;

/** What was typed, and what is wrong with it, in words of the shell. */
export function readProfile(form: FormData): { input: ProfileInput; problems: ProfileProblems } {
  const typed = Object.fromEntries(Object.keys(profileInput.shape).map((name) => [name, String(form.get(name) ?? '')])) as ProfileInput;
  const parsed = profileInput.safeParse(typed);
  if (parsed.success) return { input: parsed.data, problems: {} };
  const problems: ProfileProblems = {};
  for (const { path } of parsed.error.issues) {
    const name = path[0] as keyof ProfileInput;
    problems[name] = typed[name].trim() === '' ? (name === 'firstName' ? 'firstNameMissing' : 'lastNameMissing') : 'nameWrong';
  }
  return { input: typed, problems };
}
