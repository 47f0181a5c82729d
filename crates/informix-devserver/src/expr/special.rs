//! CURRENT, SYSDATE, TODAY, USER and their kind: one value per statement.

use informix_types::Qualifier;

use super::kind::Kind;
use super::typed::TypedExpr;
use crate::sql::ast::SpecialValue;

/// `CURRENT [qualifier]`, default YEAR TO FRACTION(3).
#[must_use]
pub fn current(qualifier: Option<Qualifier>) -> TypedExpr {
    let kind = Kind::DateTime(qualifier.unwrap_or(Qualifier::YEAR_TO_FRACTION3));
    TypedExpr::column(format!("ifx_current({})", kind.tag()), kind.column_type())
}

/// TODAY, SYSDATE (YEAR TO FRACTION(5)), USER, SITENAME/DBSERVERNAME, CURRENT_ROLE, DEFAULT_ROLE.
///
/// The names are described as CHAR(32) and CHAR(128) (unconfirmed).
#[must_use]
pub fn special(value: SpecialValue) -> TypedExpr {
    match value {
        SpecialValue::Today => TypedExpr::column("ifx_today()", Kind::Date.column_type()),
        SpecialValue::Sysdate => current(Some(Qualifier::YEAR_TO_FRACTION5)),
        SpecialValue::User => TypedExpr::column("ifx_user()", Kind::Char(32).column_type()),
        SpecialValue::ServerName => TypedExpr::column("ifx_server()", Kind::Char(128).column_type()),
        SpecialValue::CurrentRole => TypedExpr::column("ifx_role(0)", Kind::Char(32).column_type()),
        SpecialValue::DefaultRole => TypedExpr::column("ifx_role(1)", Kind::Char(32).column_type()),
    }
}
