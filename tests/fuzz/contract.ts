import fc from 'fast-check';
import { z } from 'zod';
import { hostileText } from './hostile.ts';

/** The parts of JSON Schema that the contracts of the portal use. */
export interface Schema {
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
}

interface Described {
  parameters?: { name: string; in: 'path' | 'query'; required?: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}

export interface Operation extends Described {
  method: string;
  path: string;
}

interface Document {
  paths: Record<string, Record<string, Described>>;
  components?: { schemas?: Record<string, Schema> };
}

/** The operations of an OpenAPI document, with its shared schemas where they are used. */
export const operationsOf = (document: Document): Operation[] =>
  Object.entries(withoutReferences(document).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      method: method.toUpperCase(),
      path,
      ...described,
    })),
  );

const withoutReferences = (document: Document): Document =>
  JSON.parse(JSON.stringify(document), (_, value: unknown) => {
    const { $ref } = (value ?? {}) as { $ref?: string };
    return $ref === undefined ? value : document.components?.schemas?.[$ref.split('/').at(-1) ?? ''];
  }) as Document;

/** Typical values by name, such as ids of existing data. */
export type Known = Record<string, string[]>;

/** Generates values that fit a schema; for known names mostly existing ones. */
export function valid(schema: Schema, known: Known, name = ''): fc.Arbitrary<unknown> {
  const { type, properties = {}, required = [] } = schema;
  if (Array.isArray(type))
    return fc.oneof(...type.map((one) => valid({ ...schema, type: one }, known, name)));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (type === 'object') {
    const more =
      typeof schema.additionalProperties === 'object'
        ? fc.dictionary(fc.string({ maxLength: 10 }), valid(schema.additionalProperties, known), {
            maxKeys: 3,
          })
        : fc.constant({});
    const members = Object.fromEntries(
      Object.entries(properties).map(([key, member]) => [key, valid(member, known, key)]),
    );
    const meant = [
      ...required,
      ...Object.keys(members).filter((key) => known[key] && !required.includes(key)),
    ];
    const named = fc.oneof(
      fc.record(members, { requiredKeys: required }),
      fc.record(members, { requiredKeys: meant }),
    ); // existing values more often than by chance
    return fc.tuple(more, named).map(([extra, own]) => ({ ...extra, ...own }));
  }
  if (type === 'array')
    return fc.array(valid(schema.items ?? {}, known, name), {
      minLength: schema.minItems ?? 0,
      maxLength: Math.min(schema.maxItems ?? 5, (schema.minItems ?? 0) + 5),
    });
  if (type === 'integer' || type === 'number')
    return fc.oneof(
      fc.integer({
        min: schema.minimum ?? -10,
        max: Math.min(schema.maximum ?? Infinity, Math.max(100, (schema.minimum ?? 0) + 100)),
      }),
      fc.constantFrom(schema.minimum ?? 0, schema.maximum ?? Number.MAX_SAFE_INTEGER),
    );
  if (type === 'boolean') return fc.boolean();
  if (type === 'null') return fc.constant(null);
  if (type === 'string') return text(schema, known[name]);
  return fc.jsonValue();
}

function text(
  { pattern, minLength = 0, maxLength = 40 }: Schema,
  meant: string[] | undefined,
): fc.Arbitrary<string> {
  const fitting =
    pattern === undefined
      ? fc.oneof(
          fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 20) }),
          fc.constant('x'.repeat(maxLength)),
          hostileText.filter(({ length }) => length >= minLength && length <= maxLength),
        )
      : fc.stringMatching(new RegExp(pattern));
  // a field of another call may have the name of this one
  const isMeant = meant?.some((value) => pattern === undefined || new RegExp(pattern, 'u').test(value));
  return meant && isMeant
    ? fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...meant) }, { weight: 1, arbitrary: fitting })
    : fitting;
}

export interface Answer {
  status: number;
  type: string;
  body: string;
}

/** Internals that no response may reveal (threat-model.md T77). */
const INSIDES = /SQLITE_|node_modules|\/src\/|^\s+at \S.*:\d+:\d+\)?$/m;

/** Returns the defects of any response, whatever the call. */
export function wrongAnywhere({ status, body }: Pick<Answer, 'status' | 'body'>): string | undefined {
  if (status >= 500)
    return `It answered ${status}: a fault of ours, whatever was asked. Find it by the request below and refuse it with a PortalError, or carry it out.`;
  const [leak] = INSIDES.exec(body) ?? [];
  if (leak !== undefined)
    return `The answer tells of our insides (${JSON.stringify(leak.slice(0, 60))}). Answer a code, and write the rest to the log.`;
  if ('polluted' in {} || Object.getOwnPropertyNames(Object.prototype).join() !== PRISTINE)
    return 'Object.prototype was changed by a request: merge into an object without a prototype.';
  return undefined;
}

const PRISTINE = Object.getOwnPropertyNames(Object.prototype).join();

const readers = new WeakMap<object, z.ZodType>();

/** Returns the differences between a response and its operation in the OpenAPI document. */
export function wrongByContract({ method, path, responses }: Operation, answer: Answer): string | undefined {
  const declared = responses[String(answer.status)];
  if (!declared)
    return `${method} ${path} answered ${answer.status}, which its description does not declare. Add it to the responses of its createRoute (answers() in src/platform/http/api.server.ts for what every call may say), or answer otherwise.`;
  if (answer.body === '') return undefined;
  const media = Object.entries(declared.content ?? {}).find(
    ([type]) => type === '*/*' || answer.type.startsWith(type),
  );
  if (!media)
    return `${method} ${path} answered ${answer.status} as ${answer.type || 'no type'}, its description says ${Object.keys(declared.content ?? {}).join() || 'nothing'}. Describe what it gives.`;
  const [type, { schema }] = media;
  if (type !== 'application/json') return undefined;
  try {
    const parsed = reader(schema ?? {}).safeParse(JSON.parse(answer.body));
    return parsed.success
      ? undefined
      : `${method} ${path} answered ${answer.status} with a body that is not as described: ${parsed.error.issues
          .map((issue) => `${issue.path.join('.')}: ${issue.message}`)
          .slice(0, 3)
          .join('; ')}`;
  } catch {
    return `${method} ${path} answered ${answer.status} as JSON that cannot be parsed.`;
  }
}

function reader(schema: Schema): z.ZodType {
  const made = readers.get(schema) ?? z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  readers.set(schema, made);
  return made;
}
