import { lookup, Resolver } from "node:dns/promises"
import { request } from "node:https"
import { isIP } from "node:net"

import { IdentityLimits } from "@atrium/domain/identity/IdentityLimits"
import { isPublicAddress } from "@atrium/domain/identity/PublicAddress"
import { Context, Data, Effect } from "effect"

/** Hosts that the operator names: their addresses may be private. Source: C-542. */
export const JwksHosts = Context.Reference<ReadonlyArray<string>>(
  "@atrium/api/identity/JwksHosts",
  { defaultValue: () => [] }
)

/** Why the answer of a JWKS address could not be had; the text is for the log. */
export class JwksFailure extends Data.TaggedError("JwksFailure")<{ readonly why: string }> {}

const { jwksBytes, jwksAnswer } = IdentityLimits

/**
 * Reads an `https` address that a tenant has named, within the limits: the connection goes to an address that
 * was found public before, no redirect is followed, and no credential is sent. Source: C-542.
 */
export const fetchJwks = (address: string, hosts: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const url = new URL(address)
    const host = url.hostname.replace(/^\[(.*)\]$/, "$1")
    const place = yield* placeOf(host, hosts.includes(host))
    return yield* answerOf(url, place)
  }).pipe(
    Effect.timeoutOrElse({
      duration: jwksAnswer.ms,
      orElse: () => Effect.fail(new JwksFailure({ why: "no answer in time" }))
    })
  )

interface Place {
  readonly address: string
  readonly family: number
}

/** Names of strangers are not resolved in the threads of the process, which a slow name server would fill. */
const placeOf = Effect.fnUntraced(function* (host: string, trusted: boolean) {
  const found = isIP(host) === 0 ? yield* addressesOf(host, trusted) : [host]
  const usable = found.find((address) => trusted || isPublicAddress(address))
  if (usable !== undefined) {
    const place: Place = { address: usable, family: isIP(usable) }
    return place
  }
  const why = found.length === 0 ? "the host has no address" : "the host's address is not public"
  return yield* new JwksFailure({ why })
})

const addressesOf = (host: string, trusted: boolean): Effect.Effect<ReadonlyArray<string>> => {
  if (trusted) {
    return Effect.promise(() =>
      lookup(host, { all: true }).then(
        (found) => found.map(({ address }) => address),
        () => []
      )
    )
  }
  return Effect.callback<ReadonlyArray<string>>((resume) => {
    const resolver = new Resolver({ timeout: jwksAnswer.ms, tries: 1 })
    void Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]).then((answers) =>
      resume(
        Effect.succeed(
          answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
        )
      )
    )
    return Effect.sync(() => resolver.cancel())
  })
}

const answerOf = (url: URL, { address, family }: Place): Effect.Effect<string, JwksFailure> =>
  Effect.callback((resume) => {
    const failed = (why: string): void => resume(Effect.fail(new JwksFailure({ why })))
    const asked = request(
      url,
      {
        agent: false,
        headers: { accept: "application/json", "accept-encoding": "identity" },
        // A name that is asked for again may have another address by now.
        lookup: (_host, options, answer) =>
          options.all === true ? answer(null, [{ address, family }]) : answer(null, address, family)
      },
      (response) => {
        const { statusCode = 0 } = response
        if (statusCode !== 200) {
          asked.destroy()
          return failed(`it answered ${statusCode}`)
        }
        const chunks: Array<Buffer> = []
        let bytes = 0
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length
          if (bytes <= jwksBytes.max) return void chunks.push(chunk)
          asked.destroy()
          failed(`its answer has more than ${jwksBytes.max} bytes`)
        })
        response.on("end", () => resume(Effect.succeed(Buffer.concat(chunks).toString("utf8"))))
        response.on("error", ({ message }) => failed(message))
      }
    )
    asked.on("error", ({ message }) => failed(message))
    asked.end()
    return Effect.sync(() => asked.destroy())
  })
