import { readObjectsUrl } from "@atrium/domain/objects/ObjectPlace"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"

import { TestStores } from "../../store/testing/TestStores.ts"
import { InlineBytes, Remote } from "../RemoteBytes.ts"
import { makeS3Bytes } from "../S3Bytes.ts"
import type { S3Settings } from "../S3Requests.ts"
import { type S3Stub, startS3Stub } from "./S3Stub.ts"

/** The S3 of a test. */
export class StubOfTest extends Context.Service<StubOfTest, S3Stub>()(
  "@atrium/actors/objects/testing/StubOfTest"
) {}

export const settingsOf = (stub: S3Stub): S3Settings => {
  const address = readObjectsUrl(`${stub.url}/live`)
  if (address === null) throw new Error(`${stub.url} is no address`)
  return {
    address,
    region: "",
    keyId: Redacted.make(stub.keyId),
    secretKey: Redacted.make(stub.secretKey)
  }
}

/** A stub until the scope closes. */
export const stubOfTest = Effect.acquireRelease(
  Effect.promise(() => startS3Stub()),
  (stub) => Effect.promise(() => stub.close())
)

/** Every store of the service on a database and an S3 of its own, where all bytes go. */
export const S3Stores = Layer.unwrap(
  Effect.map(stubOfTest, (stub) =>
    Layer.effectDiscard(
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql`update object_place set place = 's3'`)
    ).pipe(
      Layer.provideMerge(TestStores),
      Layer.provide([
        Layer.succeed(Remote, makeS3Bytes(settingsOf(stub))),
        Layer.succeed(InlineBytes, 0)
      ]),
      Layer.merge(Layer.succeed(StubOfTest, stub))
    )
  )
)
