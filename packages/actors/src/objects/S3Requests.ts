import { ObjectLimits } from "@atrium/domain/objects/ObjectLimits"
import type { ObjectsAddress } from "@atrium/domain/objects/ObjectPlace"
import { innermost } from "@atrium/domain/shared/Innermost"
import { MiB } from "@atrium/wire/limits/Limit"
import { AwsV4Signer } from "aws4fetch"
import { Effect, Redacted, Schedule, Semaphore } from "effect"

import { ObjectsFailure } from "./ObjectsFailure.ts"
import { s3Outcome } from "./S3Answer.ts"

/** A bucket of an S3, and the credentials for it. */
export interface S3Settings {
  readonly address: ObjectsAddress
  /** The region of the signature; empty = the one that the host names, else `us-east-1`. */
  readonly region: string
  readonly keyId: Redacted.Redacted
  readonly secretKey: Redacted.Redacted
}

export interface S3Request {
  readonly method: "GET" | "PUT" | "POST" | "DELETE"
  /** Below the bucket; empty = the bucket itself. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer>
  /** The most bytes that the body of a good answer has; absent = a text. */
  readonly most?: number
}

export interface S3Answer {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array<ArrayBuffer>
}

class Failed {
  readonly again: boolean
  readonly why: string
  constructor(again: boolean, why: string) {
    this.again = again
    this.why = why
  }
}

/** A good answer; `null` = nothing has that name. */
export type SendS3 = (request: S3Request) => Effect.Effect<S3Answer | null, ObjectsFailure>

const emptySha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
const { objectAnswer, objectAttempt, objectMebibyte, objectAttempts, objectPause } = ObjectLimits

/** Time for one attempt: a slow line may take its time for the bytes. */
const attemptMs = ({ body, most = 0 }: S3Request): number =>
  objectAttempt.ms + Math.ceil(((body?.length ?? 0) + most) / MiB) * objectMebibyte.ms

const again = Schedule.jittered(Schedule.exponential(objectPause.ms))

/**
 * Signs and sends requests, each within its time, again when that may help, and a bounded number at once. A redirect is
 * refused: it would take the request, and its signature, to another host. Source: C-467.
 */
export const makeSendS3 = ({ address, region, keyId, secretKey }: S3Settings): SendS3 => {
  const turns = Semaphore.makeUnsafe(ObjectLimits.objectRequests.max)
  const cache = new Map<string, ArrayBuffer>()

  const signed = async ({ method, path, query = {}, headers = {}, body }: S3Request) => {
    const url = new URL(`${address.origin}/${address.bucket}${path === "" ? "" : `/${path}`}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    // The hash of the body is signed with the rest, so the S3 refuses a body that was changed on its way.
    const sha256 = body === undefined ? emptySha256 : await hexSha256(body)
    return new AwsV4Signer({
      method,
      url: url.toString(),
      headers: { ...headers, "x-amz-content-sha256": sha256 },
      service: "s3",
      accessKeyId: Redacted.value(keyId),
      secretAccessKey: Redacted.value(secretKey),
      cache: yesterdayGone(cache),
      ...(region === "" ? {} : { region })
    }).sign()
  }

  const attempt = (request: S3Request) =>
    Effect.tryPromise({
      try: async (signal): Promise<S3Answer> => {
        const { method, url, headers } = await signed(request)
        const response = await fetch(url, {
          method,
          headers,
          body: request.body ?? null,
          redirect: "manual",
          signal
        })
        const good = response.status >= 200 && response.status < 300
        const most = good ? (request.most ?? objectAnswer.max) : objectAnswer.max
        const bytes = await bytesOf(response, most)
        return { status: response.status, headers: response.headers, bytes }
      },
      catch: (cause) => new Failed(true, reasonOf(cause))
    }).pipe(
      Effect.timeoutOrElse({
        duration: attemptMs(request),
        orElse: () => Effect.fail(new Failed(true, "no answer in time"))
      }),
      Effect.flatMap((answer) => {
        const isObject = request.most !== undefined && answer.status < 300
        const text = isObject ? "" : new TextDecoder().decode(answer.bytes)
        const outcome = s3Outcome(answer.status, text)
        switch (outcome._tag) {
          case "Done":
            return Effect.succeed(answer)
          case "Missing":
            return Effect.succeed(null)
          case "Again":
          case "Refused":
            return Effect.fail(new Failed(outcome._tag === "Again", outcome.why))
        }
      })
    )

  return (request) =>
    turns.withPermit(attempt(request)).pipe(
      Effect.retry({
        schedule: again,
        times: objectAttempts.max - 1,
        while: (failed) => failed.again
      }),
      Effect.mapError(
        ({ why }) =>
          new ObjectsFailure({ away: true, message: `the S3 answered ${request.method}: ${why}` })
      ),
      Effect.withSpan(`S3.${request.method}`)
    )
}

/** Keys of a signature are good for a day: those of other days go. */
const yesterdayGone = (cache: Map<string, ArrayBuffer>): Map<string, ArrayBuffer> => {
  if (cache.size > 2) cache.clear()
  return cache
}

const hexSha256 = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
  Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex")

/** The body of an answer, of which no more is read than it may have. */
const bytesOf = async (response: Response, most: number): Promise<Uint8Array<ArrayBuffer>> => {
  const chunks: Array<Uint8Array> = []
  let length = 0
  // Leaving the loop ends the answer.
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > most) throw new Error(`an answer of more than ${most} bytes`)
    chunks.push(chunk)
  }
  const all = Buffer.concat(chunks, length)
  return new Uint8Array(all.buffer, all.byteOffset, all.length)
}

/** The innermost reason. What `fetch` itself says is the same for all of them, and the address may be in it. */
const reasonOf = (cause: unknown): string => {
  const inner = innermost(cause)
  if (inner instanceof Error && "code" in inner && typeof inner.code === "string") return inner.code
  return inner instanceof Error ? inner.message : "unknown"
}
