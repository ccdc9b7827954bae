import http from "node:http"
import https from "node:https"

import { HttpAgent, makeNodeHttp } from "@effect/platform-node/NodeHttpClient"
import { Effect } from "effect"

/**
 * HTTP by `node:http`, which follows no redirect. To load `fetch` takes longer than all of the command. Source: C-368.
 */
export const nodeHttpClient = Effect.provideService(makeNodeHttp, HttpAgent, {
  http: http.globalAgent,
  // Asked for by a request to https alone: TLS takes long to load.
  get https() {
    return https.globalAgent
  }
})
