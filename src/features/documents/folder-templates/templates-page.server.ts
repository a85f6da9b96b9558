import { clientQuery } from '#features/clients/clients/clients.ts';
import { listClients } from '#features/clients/clients/clients.server.ts';
import { useActions } from '#platform/forms/actions.server.ts';
import { now } from '#platform/runtime/clock.server.ts';
import { notFound } from '#platform/runtime/errors.server.ts';
import { useForm, type Destination, type Page as FormPage } from '#platform/forms/forms.server.ts';
import type { KeysOf } from '#platform/text/translations.server.ts';
import { pathsOf } from './folder-templates.ts';
import { applyForm, templateForm } from './forms.server.ts';
import { addStarters } from './starters.server.ts';
import { applyTemplate, deleteTemplate, listTemplates, saveTemplate } from './templates.server.ts';

interface Page extends FormPage {
  url: URL;
  locals: Pick<App.Locals, 'lang' | 'pathTo' | 'session'>;
}

/** The templates of the firm; `edit` names one to change, `apply` one to apply to clients. */
export async function templatesPage(page: Page) {
  const { lang, pathTo, session } = page.locals;
  const { actor } = session;
  const query = page.url.searchParams;
  const templates = await listTemplates(actor);
  const named = (name: string) => {
    const id = query.get(name);
    const found = templates.find((template) => template.id === id);
    if (id !== null && !found) throw notFound();
    return found;
  };
  const edited = named('edit');
  const applied = named('apply');
  const here = pathTo('staff/templates');
  const form = await useForm(page, templateForm, {
    values: edited
      ? { name: edited.name, clientKind: edited.clientKind, folders: edited.folders }
      : { clientKind: 'any' },
    submit: async (input) => {
      await saveTemplate(actor, { ...input, id: edited?.id });
      return to(here, 'saved', { name: input.name });
    },
  });
  if (form instanceof Response) return form;
  const applying = applied && (await applicationOf(page, applied));
  if (applying instanceof Response) return applying;
  const acted = await useActions(page, {
    'act=starters': async () => {
      await addStarters(actor, lang);
      return to(here, 'startersAdded');
    },
    remove: async (id) => {
      await deleteTemplate(actor, id);
      return to(here, 'removed');
    },
  });
  if (acted) return acted;
  return { templates, edited, applied, form, applying };
}

const to = (
  address: string,
  key: KeysOf<'templates'>,
  vars: Record<string, string | number> = {},
): Destination => ({ to: address, flash: { type: 'success', namespace: 'templates', key, vars } });

/** The form that applies a template to clients, and a preview of its folders. */
async function applicationOf(page: Page, template: Awaited<ReturnType<typeof listTemplates>>[number]) {
  const { pathTo, session } = page.locals;
  const { clients } = await listClients(session.actor, clientQuery.parse({ pageSize: '1000' }));
  const offered = clients.filter(({ kind }) => template.clientKind === 'any' || kind === template.clientKind);
  const thisYear = new Date(now()).getUTCFullYear();
  const form = await useForm(page, applyForm, {
    values: { year: String(thisYear) },
    choices: { clientIds: offered.map(({ id, displayAs }) => ({ value: id, text: displayAs })) },
    submit: async ({ year, clientIds }) => {
      let count = 0;
      for (const clientId of clientIds)
        count += await applyTemplate(session.actor, {
          templateId: template.id,
          clientId,
          year: Number(year),
        });
      return to(pathTo('staff/templates'), 'applied', { count });
    },
  });
  if (form instanceof Response) return form;
  const paths = pathsOf(template.folders, thisYear);
  return { form, preview: 'line' in paths ? [] : paths };
}
