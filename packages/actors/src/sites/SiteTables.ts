import { Effect } from "effect"
import { SqlClient } from "effect/sql"

import type { NounTables } from "../store/NounTables.ts"
import { contentTable, fileTable, siteTable, uploadTable } from "./MemorySites.ts"
import { contentFolder } from "./SiteContent.ts"

const sites = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table sites (
    project_id text primary key references projects,
    label text not null unique,
    port integer unique,
    origin text not null,
    upload_id text not null unique,
    files integer not null,
    bytes bigint not null,
    deployed_at_ms bigint not null
  )`
  yield* sql`create table site_uploads (
    upload_id text primary key,
    project_id text not null references projects,
    label text not null,
    settings jsonb not null,
    files integer not null,
    bytes bigint not null,
    expires_at_ms bigint not null
  )`
  yield* sql`create index site_uploads_by_project on site_uploads (project_id)`
  yield* sql`create index site_uploads_by_label on site_uploads (label)`
  yield* sql`create index site_uploads_by_end on site_uploads (expires_at_ms)`
  // The files of an upload become those of the site when it is finished: the site names the upload.
  yield* sql`create table site_files (
    upload_id text not null,
    path text collate "C" not null,
    project_id text not null,
    hash text not null,
    bytes integer not null,
    primary key (upload_id, path)
  )`
  yield* sql`create index site_files_by_content on site_files (project_id, hash)`
  yield* sql`create table site_contents (
    project_id text not null,
    hash text not null,
    bytes integer not null,
    gzip_bytes integer,
    brotli_bytes integer,
    unused_at_ms bigint,
    primary key (project_id, hash)
  )`
  yield* sql`create index site_contents_unused on site_contents (unused_at_ms)
    where unused_at_ms is not null`
})

/** Static sites, their uploads and their content. */
export const siteTables: NounTables = {
  migrations: {
    "0012_sites": { oldest: 5, change: sites }
  },
  purge: [
    { table: "sites", acts: true, memory: siteTable.removal(({ projectId }) => projectId) },
    {
      table: "site_uploads",
      acts: true,
      memory: uploadTable.removal(({ projectId }) => projectId)
    },
    { table: "site_files", memory: fileTable.removal(({ projectId }) => projectId) },
    { table: "site_contents", memory: contentTable.removal(({ projectId }) => projectId) },
    { folder: contentFolder }
  ]
}
