// @module-tag thorough

import { headerOf, RawHttp } from "@atrium/api/testing/RawHttp"
import { serviceUnderTest } from "@atrium/api/testing/ServiceUnderTest"
import { until } from "@atrium/domain/testing/Until"
import { expect, it } from "vitest"

const service = serviceUnderTest()

/** An upload of which a byte comes ten times a second; nobody else deploys meanwhile. */
const trickle = () => {
  const peer = new RawHttp(service.url)
  const head = [
    `POST /v1/projects/${service.project}/deployments HTTP/1.1`,
    "host: atrium",
    `authorization: Bearer ${service.token}`,
    // The service says when it reads the body.
    "content-type: application/javascript",
    "content-length: 1000000",
    "expect: 100-continue"
  ]
  peer.write(`${head.join("\r\n")}\r\n\r\n`)
  const timer = setInterval(() => peer.write("x"), 100)
  return {
    peer,
    end: () => {
      clearInterval(timer)
      peer.destroy()
    }
  }
}

it("[C-189] a shutdown does not wait for uploads that trickle: they get 503, and the service ends with 0", async () => {
  // The second one waits for its turn.
  const uploads = [trickle(), trickle()]
  try {
    await until("the first one is read", () => uploads[0]?.peer.left.includes("100 Continue"))
    const beganMs = performance.now()
    const ended = service.stop()
    for (const { peer } of uploads) {
      const answer = await peer.answer()
      if (answer === null) throw new Error("no answer")
      expect([answer.status, headerOf(answer, "retry-after")]).toEqual([503, "1"])
      expect(headerOf(answer, "connection")).toBe("close")
      expect(JSON.parse(answer.body.toString())).toEqual({
        error: {
          code: "E_NOT_READY",
          message: "the service is going down; a change may still be made"
        }
      })
    }
    expect(await ended).toBe(0)
    expect(performance.now() - beganMs).toBeLessThan(10_000)
    expect(service.output()).not.toContain("a request failed")
  } finally {
    for (const { end } of uploads) end()
  }
})
