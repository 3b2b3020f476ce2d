/** What a type does to an object beyond a plain POST, PUT and DELETE: aspects, verbs, other creates and removals. Pure types. */

import type { Log, Notes, Urn } from "../protocol.ts";
import type { ServicePort, WireObject } from "../service-port.ts";
import type { Asset, ValueMap } from "../value.ts";
import type { Fields, ValuesOf } from "./field.ts";

/** What an action (create, an aspect, remove) works with. */
export interface ActionContext<I extends Fields> {
  readonly urn: Urn;
  readonly service: ServicePort;
  /** Declared values, all known, secrets revealed, ids as text. */
  readonly inputs: ValuesOf<I>;
  readonly log: Log;
  /** Of this resource: found again by the next verb, even when this process is killed. */
  readonly notes: Notes;
  /** The content of an asset. Throws when it cannot be read, or is not any more what its hash says. */
  readonly bytesOf: (asset: Asset) => Promise<Uint8Array>;
  /** Waits until `isDone` holds, within the verb's time; `what` names the wait, and `usually` says how long such a one takes. */
  readonly wait: (
    path: string,
    what: string,
    isDone: (object: WireObject | undefined) => boolean,
    usually?: string,
  ) => Promise<WireObject | undefined>;
}

/** What reading an object works with. */
export interface FetchContext {
  readonly id: string;
  readonly path: string;
  /** The parameters of the path. */
  readonly parameters: { readonly [name: string]: string };
  /** One object; fails with an ApiError when it is not there. As new as the reader needs it. */
  readonly get: (path: string) => Promise<WireObject>;
  /** Every item of a list. */
  readonly list: (path: string) => Promise<readonly WireObject[]>;
  /** Declared values, plain; empty where no declaration is known (an import, a verb by hand). */
  readonly inputs: { readonly [name: string]: unknown };
  /** The state last saved, plain; empty before the first. */
  readonly state: { readonly [name: string]: unknown };
  readonly notes: Notes;
}

/** What looks at an object before it is changed, or before a preview says that it will be. */
export interface Examination<I extends Fields> {
  /** Declared values, plain; those that are not known yet are left out. */
  readonly inputs: ValuesOf<I>;
  /** True for values that may not be shown. */
  readonly isHidden: (name: keyof I & string) => boolean;
  readonly id: string;
  /** As observed just now. */
  readonly object: WireObject;
  readonly get: (path: string) => Promise<WireObject>;
  /** The parent's own declared values, where this plan declares it. */
  readonly parent: { readonly [name: string]: unknown } | undefined;
  /** True: nothing will be written. */
  readonly preview: boolean;
  readonly refuse: (property: string, reason: string) => void;
  /** Stops what can be done, but only when the user allows it; the reason says how. */
  readonly guard: (property: string, reason: string) => void;
  /** Tells the user what will be done. */
  readonly tell: (message: string) => void;
}

/** What an action on an object works with that exists. */
export interface ObjectContext<I extends Fields> extends ActionContext<I> {
  readonly id: string;
  /** In an update or a delete: true when this operation knows another resource to be the object of the type (by key) with that id. */
  readonly isOurs?: (key: string, id: string) => boolean;
  readonly path: string;
}

/** What an aspect works with: the object exists. */
export interface AspectContext<I extends Fields> extends ObjectContext<I> {
  /** As observed on the service just before. */
  readonly object: WireObject;
  /** The same in our names. */
  readonly observed: ValueMap;
  /** Fields of the aspect that are to change. */
  readonly changed: ReadonlySet<keyof I & string>;
}

/** A part of an object that the plain PUT does not cover: resize, attach, access, enable… */
export interface Aspect<I extends Fields> {
  readonly name: string;
  /** The fields it carries; they never travel in the plain PUT. */
  readonly fields: readonly (keyof I & string)[];
  /** Brings the service in line. Returns the object, as a read would show it, when an answer gave it; undefined when it must be read. */
  readonly sync: (context: AspectContext<I>) => Promise<WireObject | undefined>;
  /** True for an object that it may work on although it is not ready (a restore of what has failed). */
  readonly mayStart?: (object: WireObject) => boolean;
}

/** Something that is done to an object and leaves no value of its own: by hand, and once for each change of its trigger. */
export interface Verb<I extends Fields> {
  /** camelCase (`resetCredentials`). */
  readonly name: string;
  /** Markdown, one sentence. */
  readonly description: string;
  /** What it destroys, in words that end "this destroys …"; absent: nothing. */
  readonly destroys?: string;
  /** Arguments by hand; the trigger's group has the same ones. */
  readonly args?: Fields;
  /** The input whose change runs it: any value, or a group of the arguments and a `trigger`. */
  readonly trigger?: keyof I & string;
  /** Runs it. What it makes of the object's readiness is waited for afterwards. */
  readonly run: (context: VerbContext<I>) => Promise<void>;
  /** True for an object that it may work on although it is not ready. */
  readonly mayStart?: (object: WireObject) => boolean;
}

/** What a verb works with. */
export interface VerbContext<I extends Fields> extends ObjectContext<I> {
  readonly args: { readonly [name: string]: unknown };
}

/** A create by another operation; fields that it does not carry are synced afterwards. */
export interface CreateVariant<I extends Fields> {
  readonly path: string;
  readonly body: WireObject;
  /** The fields that the request carries. */
  readonly fields: readonly (keyof I & string)[];
}
