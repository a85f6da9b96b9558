import { refusal, type PortalError } from './errors.server.ts';
import { formOf } from './form.server.ts';
import { answerTo, type Destination, type Page } from './forms.server.ts';

type Action = (value: string, form: FormData) => Promise<Destination>;

/**
 * Handles the buttons of a page that act at once, by their names: `<button name="revoke" value={id}>`. Returns the
 * redirect of the action; nothing when no such button was pressed. A refusal that `redirectRefusal` does not handle
 * is thrown.
 */
export async function useActions(
  page: Pick<Page, 'request'>,
  actions: Readonly<Record<string, Action>>,
  redirectRefusal?: (error: PortalError) => Destination | undefined,
): Promise<Response | undefined> {
  if (page.request.method !== 'POST') return undefined;
  const posted = await formOf(page.request);
  if (posted.has('form')) return undefined; // useForm handles it
  const pressed = Object.entries(actions).find(([name]) => posted.has(name));
  if (!pressed) return undefined;
  const [name, action] = pressed;
  try {
    return answerTo(await action(String(posted.get(name)), posted));
  } catch (error) {
    const refused = refusal(error);
    const destination = refused && redirectRefusal?.(refused);
    if (!destination) throw error;
    return answerTo(destination);
  }
}
