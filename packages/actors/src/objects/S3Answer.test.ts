import { expect, test } from "vitest"

import { elementsOf, s3Outcome } from "./S3Answer.ts"

const error = (code: string) =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><AWSAccessKeyId>hush</AWSAccessKeyId></Error>`

test.each([
  [200, "", { _tag: "Done" }],
  [204, "", { _tag: "Done" }],
  [206, "", { _tag: "Done" }],
  [200, error("InternalError"), { _tag: "Again", why: "200 InternalError" }],
  [200, error("InvalidPart"), { _tag: "Refused", why: "200 InvalidPart" }],
  [404, "", { _tag: "Missing" }],
  [404, error("NoSuchKey"), { _tag: "Missing" }],
  [404, error("NoSuchBucket"), { _tag: "Refused", why: "404 NoSuchBucket" }],
  [400, error("RequestTimeout"), { _tag: "Again", why: "400 RequestTimeout" }],
  [400, error("BadDigest"), { _tag: "Refused", why: "400 BadDigest" }],
  [403, error("SignatureDoesNotMatch"), { _tag: "Refused", why: "403 SignatureDoesNotMatch" }],
  [403, error("<script>"), { _tag: "Refused", why: "403" }],
  [301, error("PermanentRedirect"), { _tag: "Refused", why: "301 PermanentRedirect" }],
  [412, error("PreconditionFailed"), { _tag: "Refused", why: "412 PreconditionFailed" }],
  [429, "", { _tag: "Again", why: "429" }],
  [500, "", { _tag: "Again", why: "500" }],
  [503, error("SlowDown"), { _tag: "Again", why: "503 SlowDown" }]
])("[C-467] an answer %i %s of an S3", (status, text, outcome) => {
  expect(s3Outcome(status, text)).toEqual(outcome)
})

test("[C-467] the texts of a list are read, and markup in them is not", () => {
  const list = "<Key>a/1</Key><Key></Key><Key>b&amp;c</Key><Key>d<x/></Key><Key>e</Key>"
  expect(elementsOf(list, "Key")).toEqual(["a/1", "e"])
})
