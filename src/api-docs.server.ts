import { html } from 'hono/html';

interface Operation {
  tags?: string[];
  summary?: string;
  description?: string;
  security?: object[];
  parameters?: { name: string; in: string; required?: boolean; schema?: unknown }[];
  requestBody?: { content?: Record<string, { schema?: unknown }> };
  responses?: Record<string, { description?: string; content?: Record<string, { schema?: unknown }> }>;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/**
 * Renders the API documentation as a page, from the same document as /api/openapi.json. Loads no external
 * resources.
 */
export function docsPage(document: {
  info: { title: string; description?: string };
  paths?: Record<string, object>;
}) {
  const calls = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const operation = (methods as Partial<Record<string, Operation>>)[method];
      return operation ? [{ path, method, operation, id: `${method}${path.replace(/\W+/g, '-')}` }] : [];
    }),
  );
  const groups = Map.groupBy(calls, ({ operation }) => operation.tags?.[0] ?? '');
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>Calls – ${document.info.title}</title>
        <link rel="stylesheet" href="/api-docs.css" />
      </head>
      <body>
        <header>
          <h1>${document.info.title}: calls</h1>
          <p>${document.info.description ?? ''} <a href="/api/openapi.json">OpenAPI 3.1</a></p>
        </header>
        <nav aria-label="Calls">
          ${[...groups].map(
            ([tag, members]) =>
              html`<h2>${tag}</h2>
                <ul>
                  ${members.map(
                    ({ id, method, path }) =>
                      html`<li>
                        <a href="#${id}"><b>${method.toUpperCase()}</b> ${path}</a>
                      </li>`,
                  )}
                </ul>`,
          )}
        </nav>
        <main>${calls.map(describe)}</main>
      </body>
    </html>`;
}

function describe({
  path,
  method,
  operation,
  id,
}: {
  path: string;
  method: string;
  operation: Operation;
  id: string;
}) {
  return html`<section id="${id}">
    <h2><b>${method.toUpperCase()}</b> <code>${path}</code></h2>
    <p>${operation.summary ?? ''}${operation.description ? html`<br />${operation.description}` : ''}</p>
    <p>${operation.security?.length === 0 ? 'Without signing in.' : 'By session or API token.'}</p>
    ${
      (operation.parameters ?? []).length > 0
        ? html`<table>
            <caption>
              Parameters
            </caption>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">In</th>
              <th scope="col">Shape</th>
            </tr>
            ${operation.parameters?.map(
              (p) =>
                html`<tr>
                  <td><code>${p.name}</code>${p.required ? '' : ' (optional)'}</td>
                  <td>${p.in}</td>
                  <td>${shape(p.schema)}</td>
                </tr>`,
            )}
          </table>`
        : ''
    }
    ${Object.entries(operation.requestBody?.content ?? {}).map(
      ([type, body]) =>
        html`<h3>Body <small>${type}</small></h3>
          ${shape(body.schema)}`,
    )}
    <h3>Answers</h3>
    <dl>
      ${Object.entries(operation.responses ?? {}).map(
        ([status, answer]) =>
          html`<dt>${status}</dt>
            <dd>
              ${answer.description ?? ''}${status === '200' ? Object.values(answer.content ?? {}).map((body) => shape(body.schema)) : ''}
            </dd>`,
      )}
    </dl>
  </section>`;
}

const shape = (schema: unknown) =>
  html`<details>
    <summary>Schema</summary>
    <pre>${JSON.stringify(schema, null, 2)}</pre>
  </details>`;
