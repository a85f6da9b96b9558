import { addAction } from '#features/base/actions/actions.ts';
import { KINDS, type RequestKind } from '#features/brazil/service-request-forms/kinds.ts';
import { addText } from '#platform/text/translations.server.ts';

/**
 * Makes the kinds that the specification does not have part of the portal: an action of the section, and their names. Those of
 * the specification are in its table of actions, and their names in the files of translations.
 */
export function addNamedKinds(): void {
  for (const [type, { action, category, names }] of Object.entries<RequestKind>(KINDS)) {
    if (!names) continue;
    addText('portal', type, names.action);
    addText('service-requests', `type_${type}`, names.kind);
    addText('service-requests', `category_${category}`, names.category);
    addAction('service-request', action, type);
  }
}
