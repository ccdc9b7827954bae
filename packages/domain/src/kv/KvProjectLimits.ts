import { MinuteMs, count, rate } from "@atrium/wire/limits/Limit"

/** The KV of all players of a project. Spec: Storage limits. */
export const KvProjectLimits = {
  kvRows: count("KV rows of a project", {
    max: 1_000_000,
    per: "project",
    past: "E_KV_ROWS_FULL"
  }),
  // Writes that run at once can be as many as a service has connections to its store.
  kvRowsCountedAlone: count("Free KV rows of a project below which its new keys come one by one", {
    max: 1000,
    per: "project",
    past: "new keys of different players are counted beside each other"
  }),
  kvReads: rate("KV reads of a project", {
    burst: 3000,
    tokens: 12_000,
    everyMs: MinuteMs,
    per: "project",
    past: "E_KV_RATE"
  }),
  kvWrites: rate("KV writes and deletes of a project", {
    burst: 2000,
    tokens: 6000,
    everyMs: MinuteMs,
    per: "project",
    past: "E_KV_RATE"
  }),
  kvAtOnce: count("Calls to KV that ask the store at once", {
    max: 4,
    per: "runner",
    past: "the call waits; the projects take turns"
  }),
  kvBatch: count("Reads of KV, or writes, that ask the store together (C-640)", {
    max: 64,
    per: "project and runner",
    past: "the next ones ask after them"
  })
} as const
