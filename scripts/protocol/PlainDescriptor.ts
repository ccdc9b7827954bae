import { type AnyRoomSchema, describe as descriptorOf } from "@atrium/sdk/schema"
import { unpackMsgpack } from "@atrium/spec-tests/codec/Msgpack"
import type { Descriptor } from "@atrium/spec-tests/codec/WireValues"
import { packValue } from "@atrium/wire/msgpack/MsgpackWriter"

/** The descriptor of a schema as the document's decoder reads it. */
export const plainDescriptor = (schema: AnyRoomSchema): Descriptor =>
  // Through the bytes of a welcome, as a client gets it.
  unpackMsgpack(packValue(descriptorOf(schema))) as Descriptor
