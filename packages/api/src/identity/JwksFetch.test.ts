import { getCACertificates, setDefaultCACertificates } from "node:tls"

import { IdentityLimits } from "@atrium/domain/identity/IdentityLimits"
import { Effect, Result } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"

import { type JwksStub, startJwksStub, stubCertificate } from "../testing/JwksStub.ts"
import { fetchJwks } from "./JwksFetch.ts"

const trusted = getCACertificates("default")
let stub: JwksStub

beforeAll(async () => {
  setDefaultCACertificates([...trusted, stubCertificate])
  stub = await startJwksStub()
})
afterEach(() => stub.answer(null))
afterAll(async () => {
  await stub.close()
  setDefaultCACertificates(trusted)
})

/** The answer, or why there is none. */
const fetched = async (url: string, hosts: ReadonlyArray<string> = []): Promise<string> =>
  Result.match(await Effect.runPromise(Effect.result(fetchJwks(url, hosts))), {
    onSuccess: (text) => text,
    onFailure: ({ why }) => why
  })
const ofStub = () => fetched(stub.jwksUrl, ["127.0.0.1"])

/** This machine and its networks, however they are written. */
const insiders = [
  "127.0.0.1 [::1] [::ffff:127.0.0.1] [::ffff:7f00:1] 0.0.0.0 2130706433 0x7f.1 127.1",
  "169.254.169.254 10.0.0.1 [fd00::1] [64:ff9b::7f00:1]"
].flatMap((line) => line.split(" "))

describe("a JWKS address", () => {
  it("[C-542] of a host that the operator names is read from a private address", async () => {
    expect(Object.keys(JSON.parse(await ofStub()))).toEqual(["keys"])
    const byName = stub.jwksUrl.replace("127.0.0.1", "localhost")
    expect(await fetched(byName, ["localhost"])).toContain('"keys"')
  })

  it("[C-542] that points inside is not connected to, however it is written", async () => {
    const before = stub.reads()
    const port = new URL(stub.jwksUrl).port
    for (const host of insiders) {
      const url = new URL(`https://${host}:${port}/keys`).href
      expect(await fetched(url, ["other.example"])).toBe("the host's address is not public")
    }
    expect(stub.reads()).toBe(before)
  })

  it("[C-542] of a name without a public address is not connected to", async () => {
    const before = stub.reads()
    const byName = stub.jwksUrl.replace("127.0.0.1", "localhost")
    expect(await fetched(byName)).toMatch(/^the host/)
    expect(stub.reads()).toBe(before)
  })

  it("[C-542] that redirects is not followed", async () => {
    stub.answer((response) => {
      response.writeHead(302, { location: stub.jwksUrl }).end()
    })
    const before = stub.reads()
    expect(await ofStub()).toBe("it answered 302")
    expect(stub.reads()).toBe(before + 1)
  })

  it("[limits.jwksBytes] has 64 KiB to answer with, and not a byte more", async () => {
    const { max } = IdentityLimits.jwksBytes
    stub.answer((response) => void response.end("x".repeat(max)))
    expect((await ofStub()).length).toBe(max)
    stub.answer((response) => void response.end("x".repeat(max + 1)))
    expect(await ofStub()).toBe(`its answer has more than ${max} bytes`)
  })

  it("[limits.jwksAnswer] that does not come to an end has three seconds", async () => {
    stub.answer((response) => void response.write("{"))
    const since = performance.now()
    expect(await ofStub()).toBe("no answer in time")
    expect(performance.now() - since).toBeGreaterThan(IdentityLimits.jwksAnswer.ms - 50)
  })

  it("[C-542] is told nothing of the service, and its certificate is checked", async () => {
    let seen: unknown = null
    stub.answer((response) => {
      seen = Object.keys(response.req.headers)
      response.end("{}")
    })
    expect(await ofStub()).toBe("{}")
    expect(seen).toEqual(["accept", "accept-encoding", "host", "connection"])
    setDefaultCACertificates(trusted)
    try {
      expect(await ofStub()).toMatch(/self-signed/)
    } finally {
      setDefaultCACertificates([...trusted, stubCertificate])
    }
  })
})
