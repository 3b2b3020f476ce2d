/** What a resource type is: one plain record of fields, a path, and what is special about it. Everything else is derived from it. */

import type { Difference } from "../judgement/compare.ts";
import type { ServicePort, WireObject } from "../service-port.ts";
import { canonicalToken } from "../token.ts";
import type { Value, ValueMap } from "../value.ts";
import type {
  ActionContext,
  Aspect,
  CreateVariant,
  Examination,
  FetchContext,
  ObjectContext,
  Verb,
} from "./action.ts";
import type { Charge, Charged } from "./charge.ts";
import type { Demand } from "./demand.ts";
import type { Fields, ValuesOf } from "./field.ts";
import type { BesideRule, Change, CheckedInputs, LookupContext, SiblingRules } from "./judging.ts";
import type { FoundObject, TypePart, TypeReference } from "./reference.ts";
import { triggered } from "./trigger.ts";

/** When an object is finished after a create or an update. */
export interface Readiness {
  readonly isReady: (object: WireObject) => boolean;
  /** How long it usually takes after a create (`15 to 30 min`), where that is known. */
  readonly usually?: string;
  /** The reason when it will never be ready; the wait ends with it. */
  readonly failure?: (object: WireObject) => string | undefined;
}

/** What is special about the list at a type's collection; default: it shows every object of the type, and no other. */
export interface Listing {
  /** Nothing lists the objects. */
  readonly none?: true;
  /** The service's filter that keeps it to the account's own objects, where it shows others too. */
  readonly own?: WireObject;
  /** A wire name: an item without it is a short form of the object. */
  readonly whole?: string;
  /** False for objects that are of another type. */
  readonly includes?: (object: WireObject) => boolean;
}

/** How creates take turns. */
export interface Turns<I extends Fields> {
  /** Creates whose queue is the same run one after the other. */
  readonly queue: (values: ValuesOf<I>) => string;
  /**
   * Waits until nothing is in progress: before a create is sent, and after it, as its answer then has no id; the object is then in its list,
   * where it is found by its adopt key and its age.
   */
  readonly idle?: (context: ActionContext<I>) => Promise<void>;
}

/** How long a verb may take, in seconds. */
export interface Timeouts {
  readonly create: number;
  readonly update: number;
  readonly delete: number;
}

/** What it is: its name, its place and its fields. */
interface Identity<I extends Fields, O extends Fields> {
  /** Area (`dns`): the token's module. */
  readonly area: string;
  /** PascalCase (`Domain`). */
  readonly name: string;
  /** Markdown, user documentation. */
  readonly description: string;
  /**
   * Path of one object (`/domains/{domainId}/records/{recordId}`). The canonical id is its parameters joined by `/`.
   * Parameters that are inputs come from there; the last one that is not is the object's own, from the answer's `id`.
   * When all are inputs, the object is named by its declaration: it is looked for by its path, and one that is there already is not taken over silently.
   */
  readonly path: string;
  /** Where objects are listed and created; default: `path` without its last segment. */
  readonly collection?: string;
  /** Types whose ids are the leading parameters (`["dns/domain"]` for a Record). */
  readonly parents?: readonly string[];
  /** Where the first parameter chooses the type that the next ones are the id of: types by that parameter's value. In place of `parents`. */
  readonly parentsByKind?: { readonly [value: string]: string };
  /** What tells one of its objects from another at a glance, for plans: pieces with `{input}` for values; a piece with one that is not known is left out. */
  readonly phrase?: readonly string[];
  /** How the id and natural names are written, for messages (`DOMAIN/NAME/TYPE`). */
  readonly nameFormat: string;
  readonly inputs: I;
  readonly outputs: O;
  /** Inputs that name another object in other ways than a field's own `reference` does. */
  readonly refers?: (inputs: ValueMap) => readonly TypeReference[];
  /** Objects of other types that are declared within this one: as long as it is a resource, they are none of their own. */
  readonly parts?: (object: FoundObject) => readonly TypePart[];
  readonly timeouts?: Partial<Timeouts>;
}

/** How its objects are read, listed, found again and imported. */
interface Reading<I extends Fields> {
  /** How the object is read where that is not the GET of its path alone: another path, a query, views joined. Undefined: it is not there. */
  readonly fetch?: (context: FetchContext) => Promise<WireObject | undefined>;
  /** An answer in the shape that the fields describe, where the service writes it otherwise than it reads it. Idempotent. */
  readonly asDeclared?: (object: WireObject) => WireObject;
  /** Adds to the object what other views say of it. */
  readonly observe?: (context: ObjectContext<I>, object: WireObject) => Promise<WireObject>;
  readonly list?: Listing;
  /** How people name an object under its parents (`www/A`), from the wire; default its label. */
  readonly naturalName?: (object: WireObject) => string;
  /** Declared values as the service will answer them, where that needs another object (a name relative to its zone); for finding an object again. A key that is there but undefined is not compared. */
  readonly asAnswered?: (values: ValuesOf<I>, service: ServicePort) => Promise<ValuesOf<I>>;
  /** Why an import of a whole account leaves out all objects (a text), or this one, which may be one that `list.includes` leaves out. */
  readonly leftOut?: string | ((object: WireObject) => string | undefined);
  /** Adjusts the inputs of an import (drops what means nothing for this object, adds what its check demands). */
  readonly imported?: (inputs: ValueMap, object: WireObject) => ValueMap;
}

/** How an object is made. */
interface Making<I extends Fields> {
  /** True where the object exists from the beginning: a create reads it, then changes what differs. Every parameter of the path is an input. */
  readonly takesOver?: boolean;
  /** Another request than the POST of all fields to the collection; undefined leaves it to that. */
  readonly createRequest?: (
    values: ValuesOf<I>,
    service: ServicePort,
  ) => CreateVariant<I> | undefined | Promise<CreateVariant<I>>;
  /** Makes the object where that is not one POST; it carries all inputs, and repeating it changes nothing more. Every parameter of the path is an input. */
  readonly create?: (context: ActionContext<I>) => Promise<void>;
  /** Which creates run one after the other; default: those that could be taken for each other. */
  readonly turns?: Turns<I>;
  /** Its objects have neither a name nor a date by which one of them could be told from another that is like it: a create notes which are there before it. */
  readonly indistinct?: true;
}

/** How an object is changed, what is done to it, and when it is finished. */
interface Changing<I extends Fields> {
  readonly aspects?: readonly Aspect<I>[];
  readonly verbs?: readonly Verb<I>[];
  readonly ready?: Readiness;
  /** After a create or an update, when everything is done: waits for what comes later than the object itself (`observe` then reads it). */
  readonly finish?: (context: ObjectContext<I>, object: WireObject) => Promise<void>;
}

/** How an object is removed, and what goes with it. */
interface Removing<I extends Fields> {
  /** Removes the object where that is not the DELETE of its path (a revoke, a PUT of the defaults); repeated while it is still there. */
  readonly delete?: (context: ObjectContext<I>) => Promise<unknown>;
  /** Does what must happen before the DELETE. */
  readonly beforeDelete?: (context: ObjectContext<I>) => Promise<void>;
  /** A clearer text for a refused DELETE, if there is one. */
  readonly explainDelete?: (context: ObjectContext<I>) => Promise<string | undefined>;
  /** The service deletes the object together with its parent (the last of `parents`). */
  readonly goesWithParent?: true;
  /** What is lost with an object (`all its data`), in the plural, where nothing can bring it back: plans and policies say so. */
  readonly lost?: string | ((inputs: ValueMap) => string | undefined);
  /** True when a replacement cannot exist beside the old object; default: a unique field keeps its value under the same parents. */
  readonly collides?: (before: ValuesOf<I>, after: ValuesOf<I>) => boolean;
  /** What `collides` says is only the order in which a replacement is made: where the old object is to be kept, the new one can exist beside it. */
  readonly standsBeside?: true;
}

/** How its declarations are compared, checked and refused. */
interface Judging<I extends Fields> {
  /** The values in which two declarations of the same object are compared, where that depends on several fields at once, or on what is known of the object (its state). Values may be unknown or secret; idempotent. */
  readonly canonical?: (values: ValueMap, known: ValueMap) => ValueMap;
  /** Where the canonical values of a field differ, where positions and names within it do not say it well; undefined leaves it to those. */
  readonly differences?: (
    name: string,
    before: Value | undefined,
    after: Value | undefined,
  ) => readonly Difference[] | undefined;
  /** What inputs ask of each other, where a sentence says it all. */
  readonly demands?: readonly Demand<keyof I & string>[];
  /** Everything else that can be wrong with a declaration. */
  readonly check?: (inputs: CheckedInputs<I>) => void;
  /** Refuses changes that the service can never carry out. */
  readonly refuseChange?: (change: Change<I>) => void;
  readonly siblings?: SiblingRules<I>;
  /** How many may stand under one parent. */
  readonly limit?: number;
  /** Rules beside resources of other types, by the key of the type. */
  readonly beside?: { readonly [key: string]: BesideRule<I> };
  /** Refusals that only the live account can tell, looked up in previews. */
  readonly lookup?: (context: LookupContext<I>) => Promise<void>;
  /** Looks at the live object before it is changed, and in previews: refuses, or asks the user for leave. */
  readonly examine?: (context: Examination<I>) => Promise<void>;
}

/** What its objects cost. */
interface Charging<I extends Fields> {
  /** What an object is charged for; default: one of it, whose price the service does not list. */
  readonly charges?: (object: Charged<I>) => readonly Charge[];
}

/** A type as its file states it. `I` and `O` are its input and output fields. */
export interface ResourceSpec<I extends Fields, O extends Fields>
  extends Identity<I, O>,
    Reading<I>,
    Making<I>,
    Changing<I>,
    Removing<I>,
    Judging<I>,
    Charging<I> {}

/** A type as the rest of the provider sees it: the fields' own types are erased, derived facts are added. */
export interface ResourceType extends ResourceSpec<Fields, Fields> {
  readonly token: string;
  /** `dns/domain`: what references and `parents` say. */
  readonly key: string;
  readonly timeouts: Timeouts;
  /** Parameters of `path`, in order. */
  readonly parameters: readonly string[];
  /** The parameter that is the object's own number, if it has one. */
  readonly ownParameter: string | undefined;
  readonly collection: string;
  readonly aspects: readonly Aspect<Fields>[];
  readonly verbs: readonly Verb<Fields>[];
}

/** Makes a type of its spec. Throws when the spec contradicts itself. */
export function resource<const I extends Fields, const O extends Fields>(
  spec: ResourceSpec<I, O>,
): ResourceType {
  const erased = spec as unknown as ResourceSpec<Fields, Fields>;
  const parameters = [...spec.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  const ownParameter = parameters.findLast((name) => !(name in spec.inputs));
  for (const name of parameters) {
    if (name !== ownParameter && !(name in spec.inputs))
      throw new Error(`${spec.name}: {${name}} is not an input`);
  }
  if (ownParameter !== undefined && (spec.takesOver || spec.create))
    throw new Error(`${spec.name}: {${ownParameter}} is not known before the object is there`);
  if (spec.takesOver && (spec.create || spec.createRequest))
    throw new Error(`${spec.name}: what is taken over is not created`);
  const token = canonicalToken(spec.area, spec.name);
  return {
    ...erased,
    token,
    key: token.split(":")[1]!,
    timeouts: { create: 600, update: 600, delete: 600, ...spec.timeouts },
    parameters,
    ownParameter,
    collection: spec.collection ?? spec.path.replace(/\/[^/]+$/, ""),
    aspects: [...(erased.verbs ?? []).flatMap(triggered), ...(erased.aspects ?? [])],
    verbs: erased.verbs ?? [],
  };
}

export type {
  ActionContext,
  Aspect,
  AspectContext,
  CreateVariant,
  FetchContext,
  ObjectContext,
  Verb,
  VerbContext,
} from "./action.ts";
export type { CheckedInputs, LookupContext, Refuse } from "./judging.ts";
