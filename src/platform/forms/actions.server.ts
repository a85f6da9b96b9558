import { refusal, type PortalError } from '../runtime/errors.server.ts';
import { formOf } from './form.server.ts';
import { answerTo, isOutcomeOpen, type Destination, type Page } from './forms.server.ts';

type Action = (value: string, form: FormData) => Promise<Destination>;

/**
 * Handles the buttons of a page that act immediately, by their names: `<button name="revoke" value={id}>`. A
 * key `name=value` handles the button with that value. Returns the redirect of the action; undefined when no
 * such button was pressed. A refusal that `redirectRefusal` does not handle is thrown.
 */
export async function useActions(
  page: Pick<Page, 'request'>,
  actions: Readonly<Record<string, Action>>,
  redirectRefusal?: (error: PortalError) => Destination | undefined,
): Promise<Response | undefined> {
  if (page.request.method !== 'POST') return undefined;
  const posted = await formOf(page.request);
  if (posted.has('form')) return undefined; // useForm handles it
  const pressed = Object.entries(actions).find(([key]) => {
    const [name = '', value] = key.split('=');
    return value === undefined ? posted.has(name) : posted.get(name) === value;
  });
  if (!pressed) return undefined;
  const [key, action] = pressed;
  const [name = ''] = key.split('=');
  try {
    return answerTo(await action(String(posted.get(name)), posted));
  } catch (error) {
    const refused = refusal(error);
    const destination = refused && !isOutcomeOpen(refused) && redirectRefusal?.(refused);
    if (!destination) throw error;
    return answerTo(destination);
  }
}
