import { createHash, createHmac, randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"

/** How the stub answers in place of what was asked; `null` = as asked. */
export type S3Fault =
  | { readonly _tag: "Status"; readonly status: number; readonly code: string }
  /** Headers that send the client elsewhere. */
  | { readonly _tag: "Redirect"; readonly to: string }
  | { readonly _tag: "Silent" }
  /** The connection ends in the middle of the answer. */
  | { readonly _tag: "Torn" }
  /** An answer that never ends. */
  | { readonly _tag: "Endless" }

export interface S3Asked {
  readonly method: string
  readonly name: string
  readonly query: URLSearchParams
}

/** An S3 on loopback, for tests: buckets in memory, signatures and checksums as AWS has them. */
export interface S3Stub {
  /** `http://127.0.0.1:port/bucket` */
  readonly url: string
  readonly keyId: string
  readonly secretKey: string
  /** What is stored, by name. */
  readonly objects: Map<string, Buffer>
  /** Uploads in parts that are neither put together nor taken back. */
  readonly uploads: ReadonlyMap<string, ReadonlyMap<number, Buffer>>
  /** All requests so far, refused ones too. */
  readonly asked: ReadonlyArray<S3Asked>
  /** Chooses a fault for each request from now on. */
  fault: (asked: S3Asked) => S3Fault | null
  close(): Promise<void>
}

const bucket = "rooms"
const keyId = "AKIDOFTHESTUB"
const secretKey = "the+secret/of=the stub"

class Refused {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string) {
    this.status = status
    this.code = code
  }
}

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const sha256 = (bytes: string | Buffer): string => createHash("sha256").update(bytes).digest("hex")
const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac("sha256", key).update(text).digest()

/** The signature of a request, as section "Signature Version 4" of AWS describes it, and not as the client makes it. */
const signatureOf = (
  request: IncomingMessage,
  url: URL,
  { scope, signed }: { readonly scope: string; readonly signed: string }
): string => {
  const [day = "", region = "", service = ""] = scope.split("/")
  const encoded = (text: string) =>
    encodeURIComponent(text).replace(
      /[!'()*]/g,
      (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`
    )
  const query = [...url.searchParams]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .toSorted()
    .join("&")
  const headers = signed
    .split(";")
    .map((name) => `${name}:${String(request.headers[name]).trim()}\n`)
  const canonical = [
    request.method,
    url.pathname,
    query,
    headers.join(""),
    signed,
    request.headers["x-amz-content-sha256"]
  ].join("\n")
  const toSign = ["AWS4-HMAC-SHA256", request.headers["x-amz-date"], scope, sha256(canonical)]
  const key = [day, region, service, "aws4_request"].reduce<string | Buffer>(
    hmac,
    `AWS4${secretKey}`
  )
  return hmac(key, toSign.join("\n")).toString("hex")
}

const refuseUnsigned = (request: IncomingMessage, url: URL, body: Buffer): void => {
  const [, id, scope = "", signed = "", signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\S+), SignedHeaders=(\S+), Signature=(\S+)$/.exec(
      request.headers.authorization ?? ""
    ) ?? []
  if (id !== keyId) throw new Refused(403, "InvalidAccessKeyId")
  if (signatureOf(request, url, { scope, signed }) !== signature)
    throw new Refused(403, "SignatureDoesNotMatch")
  if (request.headers["x-amz-content-sha256"] !== sha256(body))
    throw new Refused(400, "XAmzContentSHA256Mismatch")
  const checksum = request.headers["x-amz-checksum-sha256"]
  const own = createHash("sha256").update(body).digest("base64")
  if (checksum !== undefined && checksum !== own) throw new Refused(400, "BadDigest")
}

interface Answer {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body?: Buffer | string
}

class Bucket {
  readonly objects = new Map<string, Buffer>()
  readonly uploads = new Map<string, Map<number, Buffer>>()

  answer({ method, name, query }: S3Asked, request: IncomingMessage, body: Buffer): Answer {
    const uploadId = query.get("uploadId")
    if (name === "" && method === "GET") return this.#list(query)
    if (method === "POST" && query.has("uploads")) return this.#begin()
    if (uploadId !== null) return this.#part({ uploadId, method, name, query }, body)
    switch (method) {
      case "GET":
        return this.#get(name, request.headers.range)
      case "PUT":
        if (request.headers["if-none-match"] === "*" && this.objects.has(name))
          throw new Refused(412, "PreconditionFailed")
        this.objects.set(name, body)
        return { status: 200, headers: { etag: `"${sha256(body).slice(0, 32)}"` } }
      case "DELETE":
        this.objects.delete(name)
        return { status: 204 }
      default:
        throw new Refused(405, "MethodNotAllowed")
    }
  }

  #get(name: string, range: string | undefined): Answer {
    const found = this.objects.get(name)
    if (found === undefined) throw new Refused(404, "NoSuchKey")
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? []
    if (from === undefined) return { status: 200, body: found }
    if (Number(from) >= found.length) throw new Refused(416, "InvalidRange")
    return { status: 206, body: found.subarray(Number(from), Number(to) + 1) }
  }

  #list(query: URLSearchParams): Answer {
    const after = query.get("start-after") ?? ""
    const keys = [...this.objects.keys()]
      .filter((key) => key.startsWith(query.get("prefix") ?? "") && key > after)
      .toSorted()
      .slice(0, 1000)
    const contents = keys.map((key) => `<Contents><Key>${key}</Key></Contents>`)
    return { status: 200, body: `<ListBucketResult>${contents.join("")}</ListBucketResult>` }
  }

  #begin(): Answer {
    const uploadId = randomUUID()
    this.uploads.set(uploadId, new Map())
    const inner = `<UploadId>${uploadId}</UploadId>`
    return {
      status: 200,
      body: `<InitiateMultipartUploadResult>${inner}</InitiateMultipartUploadResult>`
    }
  }

  #part(asked: S3Asked & { readonly uploadId: string }, body: Buffer): Answer {
    const parts = this.uploads.get(asked.uploadId)
    if (parts === undefined) throw new Refused(404, "NoSuchUpload")
    const number = Number(asked.query.get("partNumber"))
    if (asked.method === "PUT") {
      parts.set(number, body)
      return { status: 200, headers: { etag: `"${sha256(body).slice(0, 32)}"` } }
    }
    if (asked.method === "POST") {
      const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]+)</g)]
      const bytes = named.map(([, at, etag]) => {
        const part = parts.get(Number(at))
        if (part === undefined || etag !== `"${sha256(part).slice(0, 32)}"`)
          throw new Refused(400, "InvalidPart")
        return part
      })
      // All but the last one have 5 MiB at least.
      if (bytes.slice(0, -1).some((part) => part.length < 5 * 1024 * 1024))
        throw new Refused(400, "EntityTooSmall")
      this.objects.set(asked.name, Buffer.concat(bytes))
    }
    this.uploads.delete(asked.uploadId)
    return { status: asked.method === "POST" ? 200 : 204 }
  }
}

const answerFault = (fault: S3Fault, response: ServerResponse): void => {
  switch (fault._tag) {
    case "Status":
      response.writeHead(fault.status).end(`<Error><Code>${fault.code}</Code></Error>`)
      return
    case "Redirect":
      response.writeHead(307, { location: fault.to }).end()
      return
    case "Silent":
      return
    case "Torn":
      response.writeHead(200, { "content-length": "100" })
      response.write("half", () => response.destroy())
      return
    case "Endless": {
      response.writeHead(200)
      let open = true
      response.on("close", () => {
        open = false
      })
      const more = (): void => {
        if (!open) return
        response.write(Buffer.alloc(65_536))
        setImmediate(more)
      }
      more()
    }
  }
}

/** Starts one. */
export const startS3Stub = async (port = 0): Promise<S3Stub> => {
  const stored = new Bucket()
  const asked: Array<S3Asked> = []
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? "", "http://stub")
    const body = await bodyOf(request)
    const [, inBucket = "", ...names] = url.pathname.split("/")
    const it = { method: request.method ?? "", name: names.join("/"), query: url.searchParams }
    asked.push(it)
    const fault = stub.fault(it)
    if (fault !== null) return answerFault(fault, response)
    try {
      refuseUnsigned(request, url, body)
      if (inBucket !== bucket) throw new Refused(404, "NoSuchBucket")
      const answer = stored.answer(it, request, body)
      response.writeHead(answer.status, answer.headers).end(answer.body)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      response.writeHead(error.status)
      // Real ones repeat the key's id and what was signed.
      response.end(
        `<Error><Code>${error.code}</Code><AWSAccessKeyId>${keyId}</AWSAccessKeyId></Error>`
      )
    }
  }
  const server = createServer((request, response) => {
    // A client that went away needs no answer.
    serve(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the stub has no port")
  const stub: S3Stub = {
    url: `http://127.0.0.1:${address.port}/${bucket}`,
    keyId,
    secretKey,
    objects: stored.objects,
    uploads: stored.uploads,
    asked,
    fault: () => null,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
  return stub
}
