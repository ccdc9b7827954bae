import type { IncomingMessage, ServerResponse } from "node:http"

import { CapWalls } from "@atrium/actors/meters/CapWalls"
import { RunnerMeter } from "@atrium/actors/meters/RunnerMeter"
import type { AskedSite } from "@atrium/actors/sites/SiteRows"
import { SharedReads } from "@atrium/actors/store/SharedReads"
import { isStoreAway } from "@atrium/actors/store/StoreFailure"
import { type CapWall, wallText } from "@atrium/domain/meters/Caps"
import { ProjectId } from "@atrium/domain/shared/Ids"
import { askedHost, type SiteAddresses } from "@atrium/domain/sites/SiteAddress"
import { SiteLimits } from "@atrium/domain/sites/SiteLimits"
import { Effect, Metric, Option, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

import { noSite, plainAnswer, type SiteAnswer, siteAnswer } from "./SiteAnswer.ts"
import { type SiteBytes, SiteFiles } from "./SiteFiles.ts"

const requests = Metric.counter("atrium_site_requests_total", {
  description: "Requests to static sites, by status",
  incremental: true
})
const sent = Metric.counter("atrium_site_bytes_total", {
  description: "Bytes of answers of static sites, as they were begun",
  incremental: true
})

/** The head of a request, as Node hands it out. */
type Head = Pick<IncomingMessage, "url" | "headers" | "socket">

/** A target may name its host itself, and then the header counts for nothing. Source: RFC 9112, section 3.2.2. */
const hostOf = ({ url = "", headers }: Head): string =>
  !url.startsWith("/") && URL.canParse(url) ? new URL(url).host : (headers.host ?? "")

/** The site that a request asks for; `"none"` = an address that no site can have, `null` = the service itself. */
export const siteAsked = (addresses: SiteAddresses, head: Head): AskedSite | "none" | null => {
  const port = head.socket.localPort ?? 0
  const { ports } = addresses
  if (ports !== null && port >= ports.from && port <= ports.to) return { port }
  const asked = askedHost(addresses, hostOf(head))
  if (asked === null) return null
  return asked.label === null ? "none" : { label: asked.label }
}

const responseOf = (
  answer: SiteAnswer,
  bytes: SiteBytes | null
): HttpServerResponse.HttpServerResponse => {
  const { status, headers } = answer
  if (bytes === null) return HttpServerResponse.empty({ status, headers })
  const options = { status, headers, contentType: headers["content-type"] }
  return bytes._tag === "Whole"
    ? HttpServerResponse.uint8Array(bytes.bytes, options)
    : HttpServerResponse.stream(bytes.pieces, {
        ...options,
        contentLength: Number(headers["content-length"])
      })
}

const encoder = new TextEncoder()

const textOf = (text: string): SiteBytes => ({ _tag: "Whole", bytes: encoder.encode(text) })

const counted = (response: HttpServerResponse.HttpServerResponse) =>
  Effect.andThen(
    Metric.update(Metric.withAttributes(requests, { status: String(response.status) }), 1),
    // The head of a file names its size, and brings nothing of it.
    Metric.update(sent, response.body._tag === "Empty" ? 0 : (response.body.contentLength ?? 0))
  )

/** The bytes of an answer, each told to `sent` when it goes out. */
const metered = (bytes: SiteBytes | null, sent: (bytes: number) => void): SiteBytes | null => {
  if (bytes?._tag === "Whole") sent(bytes.bytes.length)
  if (bytes?._tag !== "Pieces") return bytes
  const told = ({ length }: Uint8Array) => Effect.sync(() => sent(length))
  return { _tag: "Pieces", pieces: Stream.tap(bytes.pieces, told) }
}

/** Answers the requests to sites. Nothing of the service is answered here, and no credential is looked at. */
export const makeSiteApp = (addresses: SiteAddresses) =>
  Effect.gen(function* () {
    const sites = yield* SiteFiles
    const meter = yield* RunnerMeter
    const wallOf = wallsOfSites(yield* CapWalls, Effect.runForkWith(yield* Effect.context<never>()))
    const answered = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { method, url: target, headers } = request
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node's server makes the requests
      const asked = siteAsked(addresses, request.source as IncomingMessage)
      const found = asked === null || asked === "none" ? Option.none() : yield* sites.find(asked)
      if (Option.isNone(found)) return [noSite, bodyOf(noSite, method)] as const
      const { projectId, index } = found.value
      const wall = yield* wallOf(projectId)
      if (wall !== null) return [atWall(wall), bodyOf(atWall(wall), method)] as const
      const answer = siteAnswer(index, { method, target, headers })
      const { body } = answer
      const bytes =
        body === null || typeof body === "string" || method === "HEAD"
          ? bodyOf(answer, method)
          : yield* sites.read(projectId, body)
      return [answer, metered(bytes, (sent) => meter.sent(projectId, sent))] as const
    })
    return answered.pipe(
      Effect.map(([answer, bytes]) => responseOf(answer, bytes)),
      Effect.catchCause((cause) => {
        // `StoreWatch` logs an outage, once.
        if (isStoreAway(cause)) return Effect.succeed(responseOf(storeAway, bodyOf(storeAway)))
        return Effect.as(
          Effect.logError("a request to a site failed", cause),
          responseOf(failed, bodyOf(failed))
        )
      }),
      Effect.tap(counted)
    )
  })

/** Every request asks, so that the site is back as soon as the wall is gone; those at once share one question. */
const wallsOfSites = (
  walls: CapWalls["Service"],
  run: (effect: Effect.Effect<void>) => ReturnType<typeof Effect.runFork<void, never>>
) => {
  const reads = new SharedReads<CapWall | null>({
    load: (projectId) => walls.of(ProjectId.make(projectId), ["dataOutBytes"]),
    run
  })
  return (projectId: ProjectId) => reads.read(projectId)
}

/** Answers every request to the site of a project that is at its data-out wall. Source: D-45. */
const atWall = (wall: CapWall): SiteAnswer =>
  plainAnswer(402, `The site sends nothing now. ${wallText(wall)}.`)

const storeAway = plainAnswer(503, "The site cannot be read just now.", { "retry-after": "1" })
const failed = plainAnswer(500, "The service failed.")

/** The text of an answer; a request for the head has none. */
const bodyOf = ({ body }: SiteAnswer, method = "GET"): SiteBytes | null =>
  typeof body === "string" && method !== "HEAD" ? textOf(body) : null

/** A visitor that takes nothing any more does not hold a connection and a piece of a file. */
export const cutOffStalled = (response: ServerResponse): void => {
  // Node watches the connection itself, without a timer for each answer.
  response.setTimeout(SiteLimits.siteStalled.ms, () => response.destroy())
}
