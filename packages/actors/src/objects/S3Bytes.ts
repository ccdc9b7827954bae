import { ObjectLimits } from "@atrium/domain/objects/ObjectLimits"
import { objectsUrlText } from "@atrium/domain/objects/ObjectPlace"
import { Effect } from "effect"

import { ObjectsFailure } from "./ObjectsFailure.ts"
import type { BytesPart, NamedBytes, RemoteBytes } from "./RemoteBytes.ts"
import { elementsOf } from "./S3Answer.ts"
import { makeSendS3, type S3Answer, type S3Settings, type SendS3 } from "./S3Requests.ts"
import { ownBytes } from "./Sha256.ts"

/** The name of the mark below the prefix. No name of bytes begins like it: those begin with a digit or a letter from a to f. */
const markName = "x-atrium"
const bytesName = /^[0-9a-f]{32}\.[0-9a-z]{1,16}$/

const failed = (message: string) => new ObjectsFailure({ away: true, message })

/** Bytes in a bucket of an S3, through the part of its protocol that all programs of that kind have. Source: C-467. */
export const makeS3Bytes = (settings: S3Settings): RemoteBytes => {
  const send = makeSendS3(settings)
  const { prefix } = settings.address
  const pathOf = (name: string) => prefix + name
  let refused = false

  /** Notes whether the S3 takes bytes. */
  const noting = <A>(write: Effect.Effect<A, ObjectsFailure>) =>
    Effect.onExit(write, ({ _tag }) =>
      Effect.sync(() => {
        refused = _tag === "Failure"
      })
    )

  const mark = Effect.map(
    send({ method: "GET", path: pathOf(markName) }),
    (answer) => answer && new TextDecoder().decode(answer.bytes)
  )
  const setMark = (text: string) =>
    noting(
      Effect.asVoid(
        send({ method: "PUT", path: pathOf(markName), body: new TextEncoder().encode(text) })
      )
    )

  return {
    place: objectsUrlText(settings.address),
    mark,
    setMark,
    probe: Effect.flatMap(mark, (text) => (refused && text !== null ? setMark(text) : Effect.void)),
    put: (object) =>
      noting(
        object.bytes.length > ObjectLimits.objectWhole.max
          ? inParts(send, pathOf(object.name), object)
          : whole(send, pathOf(object.name), object)
      ),
    get: (name, { sizeBytes, part = { from: 0, to: sizeBytes - 1 } }) =>
      reading(send, pathOf(name), { sizeBytes, part }),
    delete: (name) => Effect.asVoid(send({ method: "DELETE", path: pathOf(name) })),
    list: (after) =>
      send({
        method: "GET",
        path: "",
        query: { "list-type": "2", prefix, "start-after": pathOf(after) }
      }).pipe(
        Effect.filterOrFail(
          (answer) => answer !== null,
          () => failed("the bucket is missing")
        ),
        Effect.map((answer) =>
          elementsOf(textOf(answer), "Key")
            .filter((key) => key.startsWith(prefix))
            .map((key) => key.slice(prefix.length))
            .filter((name) => bytesName.test(name))
        )
      )
  }
}

const whole = (send: SendS3, path: string, { bytes, sha256 }: NamedBytes) =>
  Effect.flatMap(
    send({
      method: "PUT",
      path,
      body: ownBytes(bytes),
      headers: {
        "content-type": "application/octet-stream",
        "x-amz-checksum-sha256": Buffer.from(sha256).toString("base64")
      }
    }),
    (answer) => (answer === null ? Effect.fail(failed("the bucket is missing")) : Effect.void)
  )

/** Parts that are not put together cost storage: they are taken back when the upload fails. */
const inParts = (send: SendS3, path: string, { bytes }: NamedBytes) =>
  Effect.gen(function* () {
    const begun = yield* send({ method: "POST", path, query: { uploads: "" } })
    const [uploadId] = elementsOf(textOf(begun), "UploadId")
    if (uploadId === undefined) return yield* failed("the S3 began no upload")
    const { max: partBytes } = ObjectLimits.objectPart
    const numbers = Array.from(
      { length: Math.ceil(bytes.length / partBytes) },
      (_, index) => index + 1
    )
    yield* Effect.forEach(
      numbers,
      (number) => {
        const part = bytes.subarray((number - 1) * partBytes, number * partBytes)
        const query = { partNumber: String(number), uploadId }
        return Effect.map(
          send({ method: "PUT", path, query, body: ownBytes(part) }),
          (answer) => answer?.headers.get("etag") ?? ""
        )
      },
      { concurrency: ObjectLimits.objectPartsAtOnce.max }
    ).pipe(
      Effect.flatMap((etags) => {
        const parts = etags.map(
          (etag, index) =>
            `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`
        )
        const text = `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`
        const body = new TextEncoder().encode(text)
        return send({ method: "POST", path, query: { uploadId }, body })
      }),
      Effect.filterOrFail(
        (answer) => answer !== null,
        () => failed("the S3 has lost an upload")
      ),
      Effect.onError(() => Effect.ignore(send({ method: "DELETE", path, query: { uploadId } })))
    )
  })

const textOf = (answer: S3Answer | null): string =>
  answer === null ? "" : new TextDecoder().decode(answer.bytes)

const escaped = (text: string): string =>
  text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)

interface Reading {
  readonly sizeBytes: number
  readonly part: BytesPart
}

const reading = (send: SendS3, path: string, { sizeBytes, part }: Reading) => {
  const { from, to } = part
  const length = to - from + 1
  const isPart = length < sizeBytes
  const headers: Record<string, string> = isPart ? { range: `bytes=${from}-${to}` } : {}
  // An S3 that takes no ranges gives all of it.
  return Effect.flatMap(send({ method: "GET", path, headers, most: sizeBytes }), (answer) => {
    if (answer === null) return Effect.succeed(null)
    const { status, bytes } = answer
    const given = isPart && status !== 206 ? bytes.subarray(from, to + 1) : bytes
    return given.length === length
      ? Effect.succeed(given)
      : Effect.fail(failed(`the S3 gave ${given.length} bytes instead of ${length}`))
  })
}
