import { createServer } from "node:http"

import { closed, listening } from "../stub/Listening.ts"

/** The one answer that a fake implementation gives to every request. */
export type FauxAnswer = "200 {}" | "404 E_NOT_FOUND" | "404"

export interface Faux {
  readonly url: string
  stop(): Promise<void>
}

const answers: Readonly<Record<FauxAnswer, { readonly status: number; readonly body: string }>> = {
  "200 {}": { status: 200, body: "{}" },
  "404 E_NOT_FOUND": {
    status: 404,
    body: JSON.stringify({ error: { code: "E_NOT_FOUND", message: "not found" } })
  },
  "404": { status: 404, body: "" }
}

/** A server that has one answer: whatever passes on it proves nothing, but what asks for that answer. */
export const startFaux = async (answer: FauxAnswer): Promise<Faux> => {
  const { status, body } = answers[answer]
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(status, { "content-type": "application/json" })
    response.end(body)
  })
  const port = await listening(server)
  return { url: `http://127.0.0.1:${port}`, stop: () => closed(server) }
}
