import type { Adapter, AdapterPayload } from 'oidc-provider';
import { now, SECOND } from '#platform/runtime/clock.server.ts';
import { sha256 } from '#platform/security/crypto.server.ts';
import { db, withoutSync } from '#platform/database/database.server.ts';
import { encryptFor, decryptFrom } from '#platform/security/encryption.server.ts';

/**
 * The storage of the embedded provider's codes, grants and interactions: one table, with hashed ids and
 * encrypted payloads, since they contain the codes.
 */
export class SqlAdapter implements Adapter {
  readonly #model: string;

  constructor(model: string) {
    this.#model = model;
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn: number | undefined): Promise<void> {
    const row = {
      payload: encryptFor('oidc_payloads.payload', `${this.#model}/${sha256(id)}`, JSON.stringify(payload)),
      grant_id: payload.grantId ?? null,
      uid: payload.uid === undefined ? null : sha256(payload.uid),
      expires_at: expiresIn === undefined ? null : now() + expiresIn * SECOND,
    };
    await withoutSync(() =>
      db()
        .insertInto('oidc_payloads')
        .values({ model: this.#model, id: sha256(id), consumed_at: null, ...row })
        .onConflict((conflict) => conflict.columns(['model', 'id']).doUpdateSet(row))
        .execute(),
    );
  }

  find(id: string): Promise<AdapterPayload | undefined> {
    return this.#findBy('id', id);
  }

  findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.#findBy('uid', uid);
  }

  findByUserCode(): Promise<undefined> {
    return Promise.resolve(undefined); // the device flow is disabled
  }

  async consume(id: string): Promise<void> {
    const unused = db()
      .updateTable('oidc_payloads')
      .set({ consumed_at: now() })
      .where('model', '=', this.#model)
      .where('id', '=', sha256(id))
      .where('consumed_at', 'is', null);
    const { numUpdatedRows } = await withoutSync(() => unused.executeTakeFirst());
    // The provider has checked before: of two concurrent requests only one may continue.
    if (numUpdatedRows === 0n)
      throw new (await import('oidc-provider')).errors.InvalidGrant('it was used already');
  }

  async destroy(id: string): Promise<void> {
    await withoutSync(() =>
      db()
        .deleteFrom('oidc_payloads')
        .where('model', '=', this.#model)
        .where('id', '=', sha256(id))
        .execute(),
    );
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await withoutSync(() => db().deleteFrom('oidc_payloads').where('grant_id', '=', grantId).execute());
  }

  async #findBy(column: 'id' | 'uid', value: string): Promise<AdapterPayload | undefined> {
    const row = await db()
      .selectFrom('oidc_payloads')
      .selectAll()
      .where('model', '=', this.#model)
      .where(column, '=', sha256(value))
      .executeTakeFirst();
    if (!row || (row.expires_at !== null && row.expires_at <= now())) return undefined;
    const payload = JSON.parse(
      decryptFrom('oidc_payloads.payload', `${row.model}/${row.id}`, row.payload),
    ) as AdapterPayload;
    return row.consumed_at === null
      ? payload
      : { ...payload, consumed: Math.floor(row.consumed_at / SECOND) };
  }
}
