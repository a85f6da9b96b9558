import type { Adapter, AdapterPayload } from 'oidc-provider';
import { now, SECOND } from '#platform/clock.server.ts';
import { db } from '#platform/database.server.ts';

/** Where the embedded provider keeps its codes, grants and interactions: one table, ids hashed by nobody but the provider's own formats. */
export class SqlAdapter implements Adapter {
  readonly #model: string;

  constructor(model: string) {
    this.#model = model;
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn: number | undefined): Promise<void> {
    const row = {
      payload: JSON.stringify(payload),
      grant_id: payload.grantId ?? null,
      uid: payload.uid ?? null,
      expires_at: expiresIn === undefined ? null : now() + expiresIn * SECOND,
    };
    await db()
      .insertInto('oidc_payloads')
      .values({ model: this.#model, id, consumed_at: null, ...row })
      .onConflict((conflict) => conflict.columns(['model', 'id']).doUpdateSet(row))
      .execute();
  }

  find(id: string): Promise<AdapterPayload | undefined> {
    return this.#findBy('id', id);
  }

  findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.#findBy('uid', uid);
  }

  findByUserCode(): Promise<undefined> {
    return Promise.resolve(undefined); // the device flow is off
  }

  async consume(id: string): Promise<void> {
    await db().updateTable('oidc_payloads').set({ consumed_at: now() }).where('model', '=', this.#model).where('id', '=', id).execute();
  }

  async destroy(id: string): Promise<void> {
    await db().deleteFrom('oidc_payloads').where('model', '=', this.#model).where('id', '=', id).execute();
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await db().deleteFrom('oidc_payloads').where('grant_id', '=', grantId).execute();
  }

  async #findBy(column: 'id' | 'uid', value: string): Promise<AdapterPayload | undefined> {
    const row = await db().selectFrom('oidc_payloads').selectAll().where('model', '=', this.#model).where(column, '=', value).executeTakeFirst();
    if (!row || (row.expires_at !== null && row.expires_at <= now())) return undefined;
    const payload = JSON.parse(row.payload) as AdapterPayload;
    return row.consumed_at === null ? payload : { ...payload, consumed: Math.floor(row.consumed_at / SECOND) };
  }
}
