import { useForm, type Page as FormPage } from '#platform/forms/forms.server.ts';
import type { FormView } from '#platform/forms/forms.ts';
import { pauseForm, resumeForm } from './forms.server.ts';
import { pauseByToken, pausingOf, type Pausing } from './pauses.server.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'network'>;
}

/**
 * The page of the link in reminders that pauses them: opening it asks, because mail scanners follow links, and only its
 * form changes anything. Undefined for a link that the portal did not make.
 */
export async function pausePage(
  page: Page,
  token: string,
): Promise<(Pausing & { form: FormView }) | Response | undefined> {
  const { network } = page.locals;
  const found = await pausingOf(token);
  if (!found) return undefined;
  const here = { to: page.url.pathname };
  const pausing = await useForm(page, pauseForm, {
    values: { until: '' },
    submit: async ({ until }) => {
      await pauseByToken(token, { until: until === '' ? null : until }, network);
      return here;
    },
  });
  if (pausing instanceof Response) return pausing;
  const resuming = await useForm(page, resumeForm, {
    submit: async () => {
      await pauseByToken(token, 'resume', network);
      return here;
    },
  });
  if (resuming instanceof Response) return resuming;
  return { ...found, form: found.isPaused ? resuming : pausing };
}
