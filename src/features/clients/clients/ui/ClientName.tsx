import type { PendingClient } from '../clients.ts';

/** The name of a client, and the nickname that the person gave it. */
export const ClientName = ({ displayAs, nickname }: Pick<PendingClient, 'displayAs' | 'nickname'>) => (
  <>
    <bdi>{displayAs}</bdi>
    {nickname !== null && (
      <small>
        <bdi>{nickname}</bdi>
      </small>
    )}
  </>
);
