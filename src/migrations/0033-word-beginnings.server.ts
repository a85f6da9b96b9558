import type { SchemaChange } from './schema-change.server.ts';

/**
 * What separates words, as ranges of code points: everything that is no letter, number or mark in Unicode 17,
 * and the marks that only turn a symbol into an emoji. Written out, because the character classes of
 * PostgreSQL depend on the locale of the database. Left out is what NFKC and lower case never produce.
 */
const SEPARATORS = `
1-2f 3a-60 7b-d7 f7 2c2-2c5 2d2-2eb 2ed 2ef-2ff 375 3f6 482 55a-55f 589-58f 5be 5c0 5c3 5c6
5f3-60f 61b-61f 66a-66d 6d4 6dd-6de 6e9 6fd-6fe 700-70f 7f6-7f9 7fe-7ff 830-83e 85e 888 890-891
8e2 964-965 970 9f2-9f3 9fa-9fb 9fd a76 af0-af1 b70 bf3-bfa c77 c7f c84 d4f d79 df4 e3f e4f
e5a-e5b f01-f17 f1a-f1f f34 f36 f38 f3a-f3d f85 fbe-fc5 fc7-fda 104a-104f 109e-109f 10fb
1360-1368 1390-1399 1400 166d-166e 1680 169b-169c 16eb-16ed 1735-1736 17d4-17d6 17d8-17db
1800-180a 180e 1940-1945 19de-19ff 1a1e-1a1f 1aa0-1aa6 1aa8-1aad 1b4e-1b4f 1b5a-1b6a 1b74-1b7f
1bfc-1bff 1c3b-1c3f 1c7e-1c7f 1cc0-1cc7 1cd3 200b-214d 214f 218a-244a 2500-2775 2794-2bff
2ce5-2cea 2cf9-2cfc 2cfe-2cff 2d70 2e00-2e2e 2e30-3004 3008-3020 3030 3037 303d-303f 30a0 30fb
3190-3191 31c0-31ef 327f 4dc0-4dff a490-a4c6 a4fe-a4ff a60d-a60f a673 a67e a6f2-a716 a720-a721
a789-a78a a828-a82b a836-a839 a874-a877 a8ce-a8cf a8f8-a8fa a8fc a92e-a92f a95f a9c1-a9cd
a9de-a9df aa5c-aa5f aa77-aa79 aade-aadf aaf0-aaf1 ab5b ab6a-ab6b abeb e000-f8ff fbb2-fe0f
fe45-fe46 feff-fffd 10100-10102 10137-1013f 10179-10189 1018c-101fc 1039f 103d0 1056f 10857
10877-10878 1091f 1093f 10a50-10a58 10a7f 10ac8 10af0-10af6 10b39-10b3f 10b99-10b9c 10d6e
10d8e-10d8f 10ead 10ed0-10ed8 10f55-10f59 10f86-10f89 11047-1104d 110bb-110c1 110cd 11140-11143
11174-11175 111c5-111c8 111cd 111db 111dd-111df 11238-1123d 112a9 113d4-113d8 1144b-1144f
1145a-1145d 114c6 115c1-115d7 11641-11643 11660-1166c 116b9 1173c-1173f 1183b 11944-11946 119e2
11a3f-11a46 11a9a-11a9c 11a9e-11aa2 11b00-11b09 11be1 11c41-11c45 11c70-11c71 11ef7-11ef8
11f43-11f4f 11fd5-11fff 12470-12474 12ff1-12ff2 13430-1343f 16a6e-16a6f 16af5 16b37-16b3f
16b44-16b45 16d6d-16d6f 16e97-16e9a 16fe2 1bc9c 1bc9f-1cef0 1cf50-1d15d 1d16a-1d16c 1d173-1d17a
1d183-1d184 1d18c-1d1a9 1d1ae-1d241 1d245 1d300-1d356 1d800-1d9ff 1da37-1da3a 1da6d-1da74
1da76-1da83 1da85-1da8b 1e14f 1e2ff 1e5ff 1e95e-1e95f 1ecac 1ecb0 1ed2e 1eef0-1f0f5 1f10d-1fbfa
e0001-e007f f0000-10fffd
`;

const codePoint = (hex: string): string => `\\U${hex.padStart(8, '0')}`;
const separatorClass = `[${SEPARATORS.trim()
  .split(/\s+/)
  .map((range) => range.split('-').map(codePoint).join('-'))
  .join('')}]+`;

/**
 * The index of the beginnings of words on PostgreSQL, used by `seqsByBeginnings` (docs/decisions/0047). It
 * replaces the index of words, which had to read and sort all hits.
 */
export const wordBeginnings: SchemaChange = {
  sqlite: [],
  postgres: [
    `create function word_key(client_id text, block bigint, beginning text) returns bigint language sql immutable parallel safe as $body$
    select hashtextextended((client_id || ' ' || block || ' ' || beginning) collate "C", 0) $body$`,
    `create function spaced_words(name text) returns text language sql immutable parallel safe as $body$
    select ' ' || regexp_replace(name collate "C", '${separatorClass}', ' ', 'g') $body$`,
    // plpgsql: a query in its place takes ten times as long
    `create function word_keys(client_id text, seq bigint, name text) returns bigint[] language plpgsql immutable parallel safe cost 1000 as $body$
    declare keys bigint[] = '{}'; word text;
    begin
      foreach word in array string_to_array(spaced_words(name), ' ') loop
        for length in 1 .. least(char_length(word), 16) loop
          keys = keys || word_key(client_id, seq >> 12, left(word, length));
        end loop;
      end loop;
      return keys;
    end $body$`,
    // without its list of pending entries, which each block of a search would read
    `create index documents_by_beginnings on documents using gin (word_keys(client_id, seq, name_key)) with (fastupdate = off)`,
    `drop index documents_by_words`,
    `drop function words_of`,
  ],
};
