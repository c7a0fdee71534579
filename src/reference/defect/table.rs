//! Every defect once: its name in the program, its example where it takes a value, and what is to be said about it.

use std::time::Duration;

use super::{Entry, concurrency, crash, fingerprint, key, memory, outcome, parameters, replay, scope};
use crate::contract::Period;

/// The window of `check-then-act` where no other is given.
const WINDOW: Period = Period(Duration::from_millis(20));

/// The time to live of `lease-stolen` where no other is given.
const LEASE: Period = Period(Duration::from_millis(80));

/// Makes the list of all defects from one line for each: the type, the list of its values, and the way to their entries.
macro_rules! defects {
    ($($(#[$doc:meta])* $name:ident $(($value:ty = $example:expr))?: $entry:expr,)*) => {
        /// A way to break the contract, each seen in the field.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Defect {
            $($(#[$doc])* $name $(($value))?,)*
        }

        impl Defect {
            /// All defects; of those that take a value, one example each.
            pub const ALL: &'static [Self] = &[$(Self::$name $(($example))?,)*];

            /// What is to be said about it.
            pub(super) fn entry(self) -> &'static Entry {
                match self {
                    $(Self::$name { .. } => &$entry,)*
                }
            }
        }
    };
}

defects! {
    /// Keys are accepted and ignored.
    NoDedup: key::NO_DEDUP,
    /// One of the operations takes keys and ignores them.
    UnprotectedOperation: key::UNPROTECTED_OPERATION,
    /// A request without a key is carried out.
    KeyOptional: key::KEY_OPTIONAL,
    /// Long keys are cut off before they are compared.
    TruncateKey: key::TRUNCATE_KEY,
    /// Keys that differ in the case of their letters are one.
    FoldCase: key::FOLD_CASE,
    /// A quoted key and a bare one are the same.
    StripQuotes: key::STRIP_QUOTES,
    /// A request with an overlong key is carried out without protection.
    OverlongUnprotected: key::OVERLONG_UNPROTECTED,
    /// An overlong key is cut to the longest length.
    OverlongCut: key::OVERLONG_CUT,
    /// An overlong key draws a server error.
    OverlongCrashes: key::OVERLONG_CRASHES,
    /// The empty key is a key like any other.
    EmptyIsAKey: key::EMPTY_IS_A_KEY,
    /// Whatever stands where a key belongs is a key.
    MalformedAccepted: key::MALFORMED_ACCEPTED,
    /// A key without its date, and a date without its key, are carried out.
    DateOptional: key::DATE_OPTIONAL,
    /// A request of long ago is carried out.
    DateIgnored: key::DATE_IGNORED,
    /// White space in and around a key does not count.
    StripWhiteSpace: key::STRIP_WHITE_SPACE,
    /// A GET that carries a key is answered from the record.
    ReadFromTheRecord: key::READ_FROM_THE_RECORD,
    /// A key reaches across methods.
    BlindToMethod: key::BLIND_TO_METHOD,
    /// Other parameters under a known key get the first answer.
    IgnoreParameters: parameters::IGNORE_PARAMETERS,
    /// Only some of the parameters are compared.
    FingerprintSomeFields: parameters::FINGERPRINT_SOME_FIELDS,
    /// Only the top level of the body is compared.
    FingerprintTopLevel: fingerprint::FINGERPRINT_TOP_LEVEL,
    /// The query is not compared.
    FingerprintWithoutQuery: fingerprint::FINGERPRINT_WITHOUT_QUERY,
    /// The path is not compared.
    FingerprintWithoutPath: fingerprint::FINGERPRINT_WITHOUT_PATH,
    /// A character and its escape are taken for different ones.
    EscapesAreAChange: fingerprint::ESCAPES_ARE_A_CHANGE,
    /// 2 and 2.0 are taken for different numbers.
    NumbersAreText: fingerprint::NUMBERS_ARE_TEXT,
    /// A member that is null and one that is absent are taken for different ones.
    NullIsAChange: fingerprint::NULL_IS_A_CHANGE,
    /// The Unicode forms of one text are taken for different texts.
    UnicodeFormIsAChange: fingerprint::UNICODE_FORM_IS_A_CHANGE,
    /// The body is part of the key.
    KeyAndBody: parameters::KEY_AND_BODY,
    /// The bytes of the body are part of the key.
    KeyAndBytes: parameters::KEY_AND_BYTES,
    /// The body takes the place of the key.
    DedupeByBody: parameters::DEDUPE_BY_BODY,
    /// The same parameters in other bytes are taken for a conflict.
    FingerprintRawBytes: parameters::FINGERPRINT_RAW_BYTES,
    /// A refused conflict takes the place of the original.
    ConflictOverwrites: parameters::CONFLICT_OVERWRITES,
    /// A refused conflict frees the key.
    ConflictFreesKey: parameters::CONFLICT_FREES_KEY,
    /// The refusal of a conflict tells the stored answer.
    ConflictLeaks: parameters::CONFLICT_LEAKS,
    /// The refusal of a conflict points at something that nobody made.
    PointsAstray: parameters::POINTS_ASTRAY,
    /// The key is looked up first and claimed a while later.
    CheckThenAct(Period = WINDOW): concurrency::CHECK_THEN_ACT,
    /// A key is written down when its request is over.
    RecordAtTheEnd: concurrency::RECORD_AT_THE_END,
    /// A key is free again after a while, although its request still runs.
    LeaseStolen(Period = LEASE): concurrency::LEASE_STOLEN,
    /// The refusal of a copy in flight is stored as the outcome.
    InFlightOverwrites: concurrency::IN_FLIGHT_OVERWRITES,
    /// A copy in flight draws a server error.
    InFlightCrashes: concurrency::IN_FLIGHT_CRASHES,
    /// A copy in flight is told that all is well.
    InFlightAccepted: concurrency::IN_FLIGHT_ACCEPTED,
    /// A request whose client has gone stays in flight for ever.
    StuckAfterDisconnect: concurrency::STUCK_AFTER_DISCONNECT,
    /// A request that breaks off stays in flight for ever.
    StuckAfterHalfARequest: concurrency::STUCK_AFTER_HALF_A_REQUEST,
    /// A request whose client has gone is forgotten after its effect.
    CancelOnDisconnect: concurrency::CANCEL_ON_DISCONNECT,
    /// A request whose client has gone is carried out and never ends.
    UnrecordedAfterDisconnect: concurrency::UNRECORDED_AFTER_DISCONNECT,
    /// A request whose client has gone is stored as a success without content.
    EmptySuccessAfterDisconnect: concurrency::EMPTY_SUCCESS_AFTER_DISCONNECT,
    /// Only successes are remembered.
    CacheSuccessOnly: memory::CACHE_SUCCESS_ONLY,
    /// A crash releases the key although it came after the effect.
    ReleaseAfterCrash: memory::RELEASE_AFTER_CRASH,
    /// A refused request uses its key up.
    BurnKeyOnValidationFailure: memory::BURN_KEY_ON_VALIDATION_FAILURE,
    /// A request that does not succeed stays in flight for ever.
    InFlightForEver: memory::IN_FLIGHT_FOR_EVER,
    /// A request that is refused before execution stays in flight for ever.
    StuckAfterRefusal: memory::STUCK_AFTER_REFUSAL,
    /// A record serves one repeat and is gone.
    ReplayOnce: memory::REPLAY_ONCE,
    /// Keys are forgotten after half of the promised time.
    ExpireEarly: memory::EXPIRE_EARLY,
    /// Keys are remembered for ever.
    NeverExpire: memory::NEVER_EXPIRE,
    /// Every use of a key makes it live longer.
    ExpireByLastUse: memory::EXPIRE_BY_LAST_USE,
    /// A key's time runs out although its resource lives.
    ExpireWhileInUse: memory::EXPIRE_WHILE_IN_USE,
    /// An expired key is refused for ever.
    ExpiredIsAnError: memory::EXPIRED_IS_AN_ERROR,
    /// An error after the effect says that nothing was done.
    DeniesItsEffect: outcome::DENIES_ITS_EFFECT,
    /// A replay looks like a first answer.
    ReplayWithoutMarker: replay::REPLAY_WITHOUT_MARKER,
    /// A first answer looks like a replay.
    MarkerOnEverything: replay::MARKER_ON_EVERYTHING,
    /// Every replay has the status 200.
    ReplayAs200: replay::REPLAY_AS_200,
    /// A replay has lost its content type.
    ReplayAsText: replay::REPLAY_AS_TEXT,
    /// A replay has lost the header fields that the handler set.
    ReplayWithoutLocation: replay::REPLAY_WITHOUT_LOCATION,
    /// A replay is written anew and looks different.
    ReplayReserialised: replay::REPLAY_RESERIALISED,
    /// A replay has no content.
    ReplayEmpty: replay::REPLAY_EMPTY,
    /// The repeat of a crash is told that all is well.
    CrashBecomesSuccess: replay::CRASH_BECOMES_SUCCESS,
    /// A repeat gets the resource as it is now.
    ReplayCurrentState: replay::REPLAY_CURRENT_STATE,
    /// A repeat makes again what was deleted.
    RecreateDeleted: replay::RECREATE_DELETED,
    /// A repeat is not found once the resource is deleted.
    DeletedIsAnError: replay::DELETED_IS_AN_ERROR,
    /// A repeat draws a server error.
    DuplicateCrashes: replay::DUPLICATE_CRASHES,
    /// An identical repeat is taken for a conflict.
    FalseConflict: replay::FALSE_CONFLICT,
    /// A repeat counts as a request and is turned away.
    RateLimitFirst: replay::RATE_LIMIT_FIRST,
    /// A key reaches across operations.
    BlindToOperation: scope::BLIND_TO_OPERATION,
    /// A key reaches across accounts.
    BlindToAccount: scope::BLIND_TO_ACCOUNT,
    /// A key that one account has used is lost to the others.
    SquattedAcrossAccounts: scope::SQUATTED_ACROSS_ACCOUNTS,
    /// A key that one operation has used is lost to the others.
    SquattedAcrossOperations: scope::SQUATTED_ACROSS_OPERATIONS,
    /// Every replica knows its own keys only.
    ReplicasApart: scope::REPLICAS_APART,
    /// One request has two effects, and one answer.
    DoubleEffect: scope::DOUBLE_EFFECT,
    /// A slow request is sent again behind the key store.
    ResentWhenSlow: scope::RESENT_WHEN_SLOW,
    /// A repeat gets the first answer and has its effect again.
    ReplayActsAgain: scope::REPLAY_ACTS_AGAIN,

    /// While the key store is down, requests are carried out without protection.
    StoreDownUnguarded: crash::STORE_DOWN_UNGUARDED,
    /// The effect comes first, and its record in a second transaction.
    EffectBeforeRecord: crash::EFFECT_BEFORE_RECORD,
    /// Keys are kept in the memory of the process.
    ForgetsOnRestart: crash::FORGETS_ON_RESTART,
    /// What was running when the server was restarted stays in flight for ever.
    StuckAfterRestart: crash::STUCK_AFTER_RESTART,
    /// A refused conflict breaks the key.
    ConflictBreaksKey: outcome::CONFLICT_BREAKS_KEY,
    /// A 401 is kept under its key.
    Frozen401: outcome::FROZEN_401,
    /// A 429 is kept under its key.
    Frozen429: outcome::FROZEN_429,
    /// A 503 is kept under its key.
    Frozen503: outcome::FROZEN_503,
    /// A request that is turned away stays in flight for ever.
    StuckAfterTurningAway: outcome::STUCK_AFTER_TURNING_AWAY,
    /// A replay costs a token of the rate limit.
    ReplayCostsAToken: outcome::REPLAY_COSTS_A_TOKEN,
    /// Only the last key of a customer is remembered.
    LastKeyOnly: outcome::LAST_KEY_ONLY,
    /// A key is forgotten once many others were used.
    ForgottenUnderPressure: outcome::FORGOTTEN_UNDER_PRESSURE,
    /// A replay sets the cookie of the first answer again.
    ReplayWithCookie: outcome::REPLAY_WITH_COOKIE,
    /// A repeat that is promised the current state gets the first answer.
    StaleReplay: outcome::STALE_REPLAY,
}
